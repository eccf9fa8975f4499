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
import { type Asking, ask, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

interface Host {
  readonly port: number;
  close(): Promise<unknown>;
}

async function listening(server: Server): Promise<Host> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  return { port: (server.address() as AddressInfo).port, close };
}

/** Applications of others, in which something else answers `/other` with 204; those with a prefix have all below it. */
const hosts: Readonly<Record<string, { prefix?: string; start(useCase: SetCampaignMirror): Promise<Host> }>> =
  {
    Koa: {
      start: (useCase) => {
        const app = silent(new Koa());
        app.use(setMirrorRouter({ useCase }).routes());
        app.use((context) => {
          if (context.path === '/other') context.status = 204;
        });
        return listening(createServer(app.callback()));
      },
    },
    'a router of Koa': {
      prefix: '/api',
      start: (useCase) => {
        const app = silent(new Koa());
        const router = new Router({ prefix: '/api' }).use(setMirrorRouter({ useCase }).routes());
        router.post('/other', (context) => {
          context.status = 204;
        });
        return listening(createServer(app.use(router.routes()).callback()));
      },
    },
    'node:http': {
      start: (useCase) => {
        const listener = setMirrorListener({ useCase });
        return listening(
          createServer((request, response) => {
            if (request.url === '/other') response.writeHead(204).end();
            else void listener(request, response);
          }),
        );
      },
    },
    Express: {
      start: (useCase) => {
        const app = express().disable('x-powered-by');
        app.all(setMirrorPath, setMirrorListener({ useCase }));
        app.use(express.json());
        app.post('/other', (_request, response) => void response.sendStatus(204));
        return listening(createServer(app));
      },
    },
    'a prefix of Express': {
      prefix: '/api',
      start: (useCase) => {
        const app = express().disable('x-powered-by');
        app.post('/api/other', (_request, response) => void response.sendStatus(204));
        app.use('/api', setMirrorListener({ useCase }));
        return listening(createServer(app));
      },
    },
    Fastify: { start: (useCase) => listeningFastify(useCase, '') },
    'a prefix of Fastify': { prefix: '/api', start: (useCase) => listeningFastify(useCase, '/api') },
  };

async function listeningFastify(useCase: SetCampaignMirror, prefix: string): Promise<Host> {
  const app = fastify();
  const listener = setMirrorListener({ useCase });
  await app.register(
    async (scope) => {
      scope.all(setMirrorPath, {
        onRequest: async (request, reply) => {
          reply.hijack();
          request.raw.url = request.raw.url?.slice(prefix.length) ?? '';
          await listener(request.raw, reply.raw);
        },
        handler: () => {},
      });
      scope.post('/other', (_request, reply) => reply.status(204).send());
    },
    { prefix },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

describe('the route in applications of others', () => {
  const service = withHttpService();
  const useCase = () => new SetCampaignMirror(service().world.campaigns, service().world.identity);

  const requests: Readonly<Record<string, () => Asking>> = {
    'the mirror set': () => ({}),
    'no key': () => ({ headers: { Authorization: undefined } }),
    'two keys': () => ({ headers: { Authorization: [`Bearer ${service().keys.valid}`, 'Bearer cm_x'] } }),
    'another content type': () => ({ headers: { 'Content-Type': 'text/plain' } }),
    'too large a body': () => ({ body: 'x'.repeat(16_385) }),
    'a body that is not UTF-8': () => ({
      body: Buffer.from('{"mirror_endpoint":"https://a.example/\xff"}', 'latin1'),
    }),
    'a malformed identifier': () => ({ campaign: '%31' }),
    "somebody else's campaign": () => ({ campaign: service().campaigns.foreign }),
    'another method': () => ({ method: 'PUT' }),
    OPTIONS: () => ({ method: 'OPTIONS', body: undefined }),
  };

  for (const [name, { prefix = '', start }] of Object.entries(hosts)) {
    describe(name, () => {
      let host: Host;
      before(async () => {
        host = await start(useCase());
      });
      after(() => host.close());

      for (const [what, asking] of Object.entries(requests)) {
        it(`${what}: the answer that the service gives`, async () => {
          const ours = await ask(service(), asking());
          const target = `${prefix}${pathOf(asking().campaign ?? service().campaigns.own)}`;
          const theirs = await ask({ ...service(), port: host.port }, { ...asking(), target });
          expect(theirs.status).to.equal(ours.status);
          expect(comparable(theirs.body)).to.equal(comparable(ours.body));
          const { date: _, 'x-request-id': id, ...headers } = theirs.headers;
          const { date: __, 'x-request-id': ___, ...expected } = ours.headers;
          // Hosts say differently how long a connection may be idle.
          expect(without(headers)).to.deep.equal(without(expected));
          expect(id).to.match(/^\S{1,128}$/);
        });
      }

      it('a body that waits for 100 Continue gets it once', async () => {
        const connection = await RawConnection.open(host.port);
        const headers = { Expect: '100-continue', Connection: 'close' };
        const target = `${prefix}${pathOf(service().campaigns.own)}`;
        await connection.send(requestBytes(service(), { headers, target }));
        const statuses = (await connection.closed()).match(/HTTP\/1\.1 \d+/g);
        expect(statuses).to.deep.equal(['HTTP/1.1 100', 'HTTP/1.1 200']);
      });

      it('the rest of the application answers as before', async () => {
        const theirs = await ask({ ...service(), port: host.port }, { target: `${prefix}/other` });
        expect(theirs.status).to.equal(204);
      });
    });
  }

  it('the listener answers other paths with the 404 of the contract', async () => {
    const host = await listening(createServer(setMirrorListener({ useCase: useCase() })));
    const { status, body } = await ask({ ...service(), port: host.port }, { target: '/other' });
    expect([status, body]).to.deep.equal([404, '{"message":"The route /other could not be found."}']);
    await host.close();
  });

  it('behind a reader of bodies nothing is set, and the log says how to mount it', async () => {
    const failures: unknown[] = [];
    const log = { answered: () => {}, failed: (_id: string, error: unknown) => void failures.push(error) };
    const app = silent(new Koa());
    app.use(bodyParser());
    app.use(setMirrorRouter({ useCase: useCase(), log }).routes());
    const host = await listening(createServer(app.callback()));
    const stored = await service().world.others.mirror(service().campaigns.own);
    const { status, body } = await ask({ ...service(), port: host.port }, {});
    expect([status, body]).to.deep.equal([500, '{"message":"Server Error"}']);
    expect(failures.map(String)).to.deep.equal([
      'Error: another reader has read the body: mount this route before it',
    ]);
    expect(await service().world.others.mirror(service().campaigns.own)).to.deep.equal(stored);
    await host.close();
  });
});

/** Koa would write of callers that have left. */
function silent(app: Koa): Koa {
  app.silent = true;
  return app;
}

/** Without the times of an answer that sets the mirror. */
function comparable(body: string): string {
  return body.replaceAll(/"[0-9-]{10}T[0-9:.]+Z"/g, '"time"');
}

function without({
  connection: _,
  'keep-alive': __,
  'content-length': length,
  ...headers
}: Record<string, unknown>) {
  return { ...headers, hasLength: length !== undefined };
}
