import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Slots, setMirrorListener, setMirrorPath, setMirrorRouter } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror, Unavailable } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { expect } from 'chai';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { rows } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { CapturedLog } from '../support/http/log.ts';
import { type Asking, ask, bodyWith, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

type Settings = Parameters<typeof setMirrorListener>[0];

/** Another route of a Koa application, which shows the state that it finds. */
const other: Koa.Middleware = (context) => {
  context.body = `other ${Object.keys(context.state)}`;
};

/** Applications of others as the guide mounts the route in them, below `/api`, before `/api/other`. */
const hosts: Readonly<Record<string, (settings: Settings) => Server | Promise<Server>>> = {
  'a prefix of Koa': (settings) => {
    const app = new Koa().use(setMirrorRouter(settings).prefix('/api').routes());
    return createServer(app.use(new Router({ prefix: '/api' }).post('/other', other).routes()).callback());
  },
  'a router below a prefix of Koa': (settings) => {
    const router = new Router({ prefix: '/api' }).use(setMirrorRouter(settings).routes());
    return createServer(new Koa().use(router.post('/other', other).routes()).callback());
  },
  'a prefix of Express': (settings) => {
    const app = express().disable('x-powered-by');
    app.use('/api', express.Router().all(setMirrorPath, setMirrorListener(settings)));
    return createServer(app.post('/api/other', (_request, response) => void response.send('other ')));
  },
  'a prefix of Fastify': async (settings) => {
    const app = fastify();
    const listener = setMirrorListener(settings);
    app.all(`/api${setMirrorPath}`, {
      onRequest: async (request, reply) => {
        reply.hijack();
        request.raw.url = request.raw.url?.slice('/api'.length) ?? '';
        await listener(request.raw, reply.raw);
      },
      handler: () => {},
    });
    app.post('/api/other', (_request, reply) => reply.send('other '));
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

  /** What is asked of each, and the answer of the service. */
  const answered: [asking: Asking, ours: object][] = [];
  before(async () => {
    // Without those that a server of Node or the other application refuses.
    const refused = rows.filter((row) => !row.closes && row.case !== 'route unknown');
    const asked = refused.map((row) => row.asking(service()));
    for (const asking of [{}, { headers: { 'If-Match': '"0"' } }, ...asked])
      answered.push([asking, comparable(await ask(service(), asking))]);
  });

  for (const [name, start] of Object.entries(hosts))
    it(`${name}: the answers that the service gives, and the rest of the application as before`, async () => {
      const target = ({ campaign = service().campaigns.own }: Asking) => `/api${pathOf(campaign)}`;
      await hosted(await start({ useCase: useCase() }), async (host) => {
        for (const [asking, ours] of answered) {
          const theirs = await ask(host, { ...asking, target: target(asking) });
          expect(comparable(theirs)).to.deep.equal(ours);
          expect(theirs.headers['x-request-id']).to.match(/^\S{1,128}$/);
        }
        const headers = { Expect: '100-continue', Connection: 'close' };
        const bytes = requestBytes(host, { headers, target: target({}) });
        const all = await (await RawConnection.open(host.port, bytes)).closed();
        expect(all.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 100', 'HTTP/1.1 200']);
        expect((await ask(host, { target: '/api/other' })).body).to.equal('other ');
      });
    });

  for (const name of ['a prefix of Koa', 'a prefix of Express'])
    it(`${name}: without a log, what is behind a 500 and a 503 is on standard error, and nothing else`, async () => {
      const faults = [new Error('behind the 500'), new Unavailable('behind the 503', { cause: 'a secret' })];
      const lines: string[] = [];
      const { error } = console;
      console.error = (...words) => lines.push(words.join(' '));
      try {
        const { identity } = service().world;
        const campaigns = { find: throwing(faults), setMirror: throwing(faults) };
        const failing = new SetCampaignMirror(campaigns, identity);
        await hosted((await hosts[name]?.({ useCase: failing })) as Server, async (host) => {
          const target = `/api${pathOf(service().campaigns.own)}`;
          const statuses = [];
          for (let call = 0; call < 2; call++) statuses.push((await ask(host, { target })).status);
          expect(statuses).to.deep.equal([500, 503]);
          await ask(host, { target, headers: { Authorization: undefined } });
        });
      } finally {
        console.error = error;
      }
      expect(lines).to.have.length(2);
      expect(lines[0]).to.match(/Error: behind the 500\n +at /);
      expect(lines[1])
        .to.match(/Unavailable: behind the 503\n +at /)
        .and.not.include('secret');
    });

  it('Koa: the application hears what is behind a 500, even what is no error', async () => {
    const heard: unknown[] = [];
    const failing = { find: throwing(['text']), setMirror: throwing(['text']) };
    const app = new Koa().use(
      setMirrorRouter({ useCase: new SetCampaignMirror(failing, service().world.identity) }).routes(),
    );
    app.on('error', (error, context) => heard.push(error.message, context.status));
    await hosted(createServer(app.callback()), async (host) => {
      expect((await ask(host)).body).to.equal('{"message":"Server Error"}');
    });
    expect(heard).to.deep.equal(['text', 500]);
  });

  it('Koa: a prefix of the router changes no other, and other middleware sees no key', async () => {
    const seen: string[] = [];
    const app = new Koa().use(async (context, next) => {
      await next();
      seen.push(inspect(context.state, { depth: 5, showHidden: true }));
    });
    setMirrorRouter({ useCase: useCase() }).prefix('/elsewhere');
    app.use(setMirrorRouter({ useCase: useCase() }).routes());
    await hosted(createServer(app.callback()), async (host) => {
      for (const asking of [{}, { body: 'x'.repeat(20_000) }, { headers: { 'Content-Type': 'text/plain' } }])
        await ask(host, asking);
    });
    expect(seen).to.have.length(3);
    for (const one of seen) expect(one).to.include('requestId').and.not.include(service().keys.valid);
  });

  const leaving: Koa.Middleware = (context, next) => {
    context.disableBodyParser = true;
    return next();
  };
  for (const [name, ahead] of Object.entries<Koa.Middleware[]>({
    'a state of the same name': [
      (context, next) => {
        context.state.place = { at: 3 };
        return next();
      },
    ],
    'a pause of the request': [
      async (context, next) => {
        context.req.pause();
        await turn();
        return next();
      },
    ],
    'a reader of forms': [bodyParser({ enableTypes: ['form'] })],
    'a reader that is to leave the body': [leaving, bodyParser()],
  }))
    it(`Koa, behind ${name}: the answers that the service gives, also to a fragment, which Koa leaves out`, async () => {
      const app = new Koa();
      for (const one of ahead) app.use(one);
      app.use(setMirrorRouter({ useCase: useCase() }).routes());
      await hosted(createServer(app.callback()), async (host) => {
        for (const asking of [{}, { target: `${pathOf(service().campaigns.own)}#x` }])
          expect(comparable(await ask(host, asking))).to.deep.equal(comparable(await ask(service(), asking)));
      });
    });

  it('Koa: nothing is set if middleware in front does not wait for it, and so has Koa answer', async () => {
    const app = new Koa().use((_, next) => void next());
    const answers = new EventEmitter();
    const log = { answered: (one: object) => answers.emit('answered', one), failed: () => {} };
    app.use(setMirrorRouter({ useCase: useCase(), log }).routes());
    const stored = await service().world.others.mirror(service().campaigns.own);
    await hosted(createServer(app.callback()), async (host) => {
      const [asked, [answered]] = await Promise.all([ask(host), once(answers, 'answered')]);
      expect([asked.status, answered.status]).to.deep.equal([404, 404]);
    });
    expect(await service().world.others.mirror(service().campaigns.own)).to.deep.equal(stored);
  });

  it('HTTP/2: a body is read, whether or not its length is told', async () => {
    const server = http2.createServer(setMirrorListener({ useCase: useCase() }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const body = bodyWith('https://second.example/');
    const statusOf = async (sent: string, headers = {}) => {
      const call = { ':method': 'POST', ':path': pathOf(service().campaigns.own) };
      const authorization = `Bearer ${service().keys.valid}`;
      const type = { 'content-type': 'application/json' };
      const request = client.request({ ...call, ...type, authorization, ...headers });
      request.end(sent);
      const [answer] = await once(request, 'response');
      return answer[':status'];
    };
    expect(await statusOf(body)).to.equal(200);
    expect(await statusOf(body, { 'content-length': body.length })).to.equal(200);
    expect(await statusOf('x'.repeat(20_000))).to.equal(413);
    expect(await statusOf('')).to.equal(422);
    client.close();
    server.close();
  });

  it('no refusal waits, since a host may be paid for its time', async () => {
    const failedKeys = { rate: { limit: 1, seconds: 60 }, count: async () => ({ consumed: 2, resetIn: 9 }) };
    const settings = { useCase: useCase(), limits: { failedKeys } };
    await hosted(createServer(setMirrorListener(settings)), async (host) => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        for (const key of ['x', service().keys.unknown])
          expect((await ask(host, { headers: { Authorization: `Bearer ${key}` } })).status).to.equal(429);
      } finally {
        mock.timers.reset();
      }
    });
  });

  it('limits that are no numbers, as of variables that are not set, are refused', () => {
    const bodyLimit = Number(undefined);
    expect(() => setMirrorRouter({ useCase: useCase(), bodyLimit })).to.throw(TypeError, 'bodyLimit');
    expect(() => new Slots(Number(undefined))).to.throw(TypeError, 'size');
  });

  it('the credential may be a header of its own', async () => {
    const settings = { useCase: useCase(), credentialHeader: 'X-Gateway', isWellFormed: () => true };
    await hosted(createServer(setMirrorListener(settings)), async (host) => {
      const key = service().keys.valid;
      const calls = [{}, { 'X-Gateway': key }, { 'X-Gateway': `Bearer ${key}` }, { 'x-gateway': [key, key] }];
      const statuses = [];
      for (const headers of calls) statuses.push((await ask(host, { headers })).status);
      expect(statuses).to.deep.equal([401, 200, 401, 400]);
    });
  });

  for (const [name, behindReader] of Object.entries<(settings: Settings) => RequestListener>({
    Koa: (settings) => new Koa().use(bodyParser()).use(setMirrorRouter(settings).routes()).callback(),
    'Koa, a reader that leaves an empty text': (settings) => {
      const app = new Koa().use(async (context, next) => {
        context.request.body = (await text(context.req)).slice(0, 0);
        await next();
      });
      return app.use(setMirrorRouter(settings).routes()).callback();
    },
    Express: (settings) => express().use(express.json()).all(setMirrorPath, setMirrorListener(settings)),
  }))
    it(`${name}: behind a reader of bodies nothing is set, and the log says how to mount it`, async () => {
      const log = new CapturedLog();
      const stored = await service().world.others.mirror(service().campaigns.own);
      await hosted(createServer(behindReader({ useCase: useCase(), log })), async (host) => {
        expect((await ask(host)).body).to.equal('{"message":"Server Error"}');
      });
      const said = 'Error: another reader has read the body: mount this route before it';
      expect(log.faults.map(({ error }) => String(error))).to.deep.equal([said]);
      expect(await service().world.others.mirror(service().campaigns.own)).to.deep.equal(stored);
    });
});

/** A port that throws these, one after the other. */
function throwing(faults: readonly unknown[]) {
  let calls = 0;
  return async () => {
    throw faults[calls++];
  };
}

/** Without times and numbers of changes, and without what each server says in its own way: how long a connection may be idle. */
function comparable({ headers, body, ...answer }: Awaited<ReturnType<typeof ask>>) {
  const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, etag, ...others } = headers;
  return {
    ...answer,
    headers: others,
    etag: String(etag).replace(/\d+/, 'N'),
    body: body.replaceAll(/"[0-9-]{10}T[0-9:.]+Z"/g, '"time"'),
  };
}
