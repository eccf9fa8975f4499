import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setMirrorListener, setMirrorPath, setMirrorRouter } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { expect } from 'chai';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { RawConnection } from '../support/http/connection.ts';
import { CapturedLog } from '../support/http/log.ts';
import { type Asking, ask, type Given, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

/** Applications of others, in which something else answers `/other` with 204; those with a prefix have all below it. */
const hosts: Readonly<
  Record<string, { prefix?: string; start(useCase: SetCampaignMirror): Server | Promise<Server> }>
> = {
  'a router of Koa': {
    prefix: '/api',
    start: (useCase) => {
      const router = new Router({ prefix: '/api' }).use(setMirrorRouter({ useCase }).routes());
      router.post('/other', (context) => {
        context.status = 204;
      });
      return createServer(new Koa().use(router.routes()).callback());
    },
  },
  'node:http': {
    start: (useCase) => {
      const listener = setMirrorListener({ useCase });
      return createServer((request, response) => {
        if (request.url === '/other') response.writeHead(204).end();
        else void listener(request, response);
      });
    },
  },
  Express: {
    start: (useCase) => {
      const app = express().disable('x-powered-by').all(setMirrorPath, setMirrorListener({ useCase }));
      app.use(express.json()).post('/other', (_request, response) => void response.sendStatus(204));
      return createServer(app);
    },
  },
  'a prefix of Express': {
    prefix: '/api',
    start: (useCase) => {
      const app = express().disable('x-powered-by');
      app.post('/api/other', (_request, response) => void response.sendStatus(204));
      return createServer(app.use('/api', setMirrorListener({ useCase })));
    },
  },
  'a prefix of Fastify': {
    prefix: '/api',
    start: async (useCase) => {
      const app = fastify();
      const listener = setMirrorListener({ useCase });
      const routes = async (scope: typeof app) => {
        scope.all(setMirrorPath, {
          onRequest: async (request, reply) => {
            reply.hijack();
            request.raw.url = request.raw.url?.slice('/api'.length) ?? '';
            await listener(request.raw, reply.raw);
          },
          handler: () => {},
        });
        scope.post('/other', (_request, reply) => reply.status(204).send());
      };
      await app.register(routes as never, { prefix: '/api' });
      await app.ready();
      return app.server;
    },
  },
};

const requests: Readonly<Record<string, Asking | Given>> = {
  'the mirror set': {},
  'no key': { headers: { Authorization: undefined } },
  'two keys': ({ keys }) => ({ headers: { Authorization: [`Bearer ${keys.valid}`, 'Bearer cm_x'] } }),
  'another content type': { headers: { 'Content-Type': 'text/plain' } },
  'too large a body': { body: 'x'.repeat(16_385) },
  'a malformed identifier': { campaign: '%31' },
  "somebody else's campaign": ({ campaigns }) => ({ campaign: campaigns.foreign }),
  'another method': { method: 'PUT' },
  OPTIONS: { method: 'OPTIONS', body: undefined },
};

describe('the route in applications of others', () => {
  const service = withHttpService();
  const useCase = () => new SetCampaignMirror(service().world.campaigns, service().world.identity);

  /** The service, but on the port of another server, which is ended by what the test ends with. */
  async function hosted<T>(server: Server, during: (host: ReturnType<typeof service>) => Promise<T>) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await during({ ...service(), port: (server.address() as AddressInfo).port });
    } finally {
      server.close().closeAllConnections();
    }
  }

  for (const [name, { prefix = '', start }] of Object.entries(hosts))
    it(`${name}: the answers that the service gives, and the rest of the application as before`, async () => {
      await hosted(await start(useCase()), async (host) => {
        for (const [what, given] of Object.entries(requests)) {
          const asking = typeof given === 'function' ? given(host) : given;
          const target = `${prefix}${pathOf(asking.campaign ?? host.campaigns.own)}`;
          const [ours, theirs] = [await ask(service(), asking), await ask(host, { ...asking, target })];
          expect(comparable(theirs), what).to.deep.equal(comparable(ours));
          expect(theirs.headers['x-request-id']).to.match(/^\S{1,128}$/);
        }
        const headers = { Expect: '100-continue', Connection: 'close' };
        const target = `${prefix}${pathOf(host.campaigns.own)}`;
        const connection = await RawConnection.open(host.port);
        await connection.send(requestBytes(host, { headers, target }));
        const statuses = (await connection.closed()).match(/HTTP\/1\.1 \d+/g);
        expect(statuses).to.deep.equal(['HTTP/1.1 100', 'HTTP/1.1 200']);
        expect((await ask(host, { target: `${prefix}/other` })).status).to.equal(204);
      });
    });

  it('the listener answers other paths with the 404 of the contract', async () => {
    await hosted(createServer(setMirrorListener({ useCase: useCase() })), async (host) => {
      const { status, body } = await ask(host, { target: '/other' });
      expect([status, body]).to.deep.equal([404, '{"message":"The route /other could not be found."}']);
    });
  });

  it('behind a reader of bodies nothing is set, and the log says how to mount it', async () => {
    const log = new CapturedLog();
    const app = new Koa().use(bodyParser()).use(setMirrorRouter({ useCase: useCase(), log }).routes());
    const stored = await service().world.others.mirror(service().campaigns.own);
    await hosted(createServer(app.callback()), async (host) => {
      const { status, body } = await ask(host);
      expect([status, body]).to.deep.equal([500, '{"message":"Server Error"}']);
    });
    const said = 'Error: another reader has read the body: mount this route before it';
    expect(log.faults.map(({ error }) => String(error))).to.deep.equal([said]);
    expect(await service().world.others.mirror(service().campaigns.own)).to.deep.equal(stored);
  });
});

/** Without times, and without what each server says in its own way: how long a connection may be idle. */
function comparable({ headers, body, ...answer }: Awaited<ReturnType<typeof ask>>) {
  const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, ...others } = headers;
  const length = others['content-length'] === undefined ? {} : { 'content-length': 'known' };
  const timeless = body.replaceAll(/"[0-9-]{10}T[0-9:.]+Z"/g, '"time"');
  return { ...answer, headers: { ...others, ...length }, body: timeless };
}
