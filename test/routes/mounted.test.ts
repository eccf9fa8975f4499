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
import { rows } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { CapturedLog } from '../support/http/log.ts';
import { type Asking, ask, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

/** Applications of others with something else under `/other`, all of it below `/api`. */
const hosts: Readonly<Record<string, (useCase: SetCampaignMirror) => Server | Promise<Server>>> = {
  'a prefix of Koa': (useCase) => {
    const router = new Router({ prefix: '/api' }).use(setMirrorRouter({ useCase }).routes());
    router.post('/other', (context) => {
      context.body = 'other';
    });
    return createServer(new Koa().use(router.routes()).callback());
  },
  'a prefix of Express': (useCase) => {
    const app = express().post('/api/other', (_request, response) => void response.send('other'));
    return createServer(app.disable('x-powered-by').use('/api', setMirrorListener({ useCase })));
  },
  'a prefix of Fastify': async (useCase) => {
    const app = fastify();
    const listener = setMirrorListener({ useCase });
    app.all(`/api${setMirrorPath}`, {
      onRequest: async (request, reply) => {
        reply.hijack();
        request.raw.url = request.raw.url?.slice('/api'.length) ?? '';
        await listener(request.raw, reply.raw);
      },
      handler: () => {},
    });
    app.post('/api/other', (_request, reply) => reply.send('other'));
    await app.ready();
    return app.server;
  },
};

describe('the route in applications of others', () => {
  const service = withHttpService();
  const useCase = () => new SetCampaignMirror(service().world.campaigns, service().world.identity);

  /** The service, but on the port of another server, which ends with what is done meanwhile. */
  async function hosted(server: Server, meanwhile: (host: ReturnType<typeof service>) => Promise<void>) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      await meanwhile({ ...service(), port: (server.address() as AddressInfo).port });
    } finally {
      server.close().closeAllConnections();
    }
  }

  for (const [name, start] of Object.entries(hosts))
    it(`${name}: the answers that the service gives, and the rest of the application as before`, async () => {
      const target = ({ campaign = service().campaigns.own }: Asking) => `/api${pathOf(campaign)}`;
      // Without those that a server of Node or the other application refuses.
      const refused = rows.filter((row) => !row.closes && row.case !== 'route unknown');
      await hosted(await start(useCase()), async (host) => {
        for (const asking of [{}, ...refused.map((row) => row.asking(host))]) {
          const ours = await ask(service(), asking);
          const theirs = await ask(host, { ...asking, target: target(asking) });
          expect(comparable(theirs)).to.deep.equal(comparable(ours));
          expect(theirs.headers['x-request-id']).to.match(/^\S{1,128}$/);
        }
        const headers = { Expect: '100-continue', Connection: 'close' };
        const bytes = requestBytes(host, { headers, target: target({}) });
        const all = await (await RawConnection.open(host.port, bytes)).closed();
        expect(all.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 100', 'HTTP/1.1 200']);
        expect((await ask(host, { target: '/api/other' })).body).to.equal('other');
      });
    });

  it('behind a reader of bodies nothing is set, and the log says how to mount it', async () => {
    const log = new CapturedLog();
    const app = new Koa().use(bodyParser()).use(setMirrorRouter({ useCase: useCase(), log }).routes());
    const stored = await service().world.others.mirror(service().campaigns.own);
    await hosted(createServer(app.callback()), async (host) => {
      expect((await ask(host)).body).to.equal('{"message":"Server Error"}');
    });
    const said = 'Error: another reader has read the body: mount this route before it';
    expect(log.faults.map(({ error }) => String(error))).to.deep.equal([said]);
    expect(await service().world.others.mirror(service().campaigns.own)).to.deep.equal(stored);
  });
});

/** Without times, and without what each server says in its own way: how long a connection may be idle. */
function comparable({ headers, body, ...answer }: Awaited<ReturnType<typeof ask>>) {
  const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, ...others } = headers;
  return { ...answer, headers: others, body: body.replaceAll(/"[0-9-]{10}T[0-9:.]+Z"/g, '"time"') };
}
