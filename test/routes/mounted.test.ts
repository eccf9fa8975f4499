import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setMirrorListener, setMirrorPath, setMirrorRouter } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror, Unavailable } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { expect } from 'chai';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, requestBytes } from '../support/http/request.ts';
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

/** Applications of others, in which something else answers `/other` with 204. */
const hosts: Readonly<Record<string, (useCase: SetCampaignMirror) => Promise<Host>>> = {
  Koa: (useCase) => {
    const app = silent(new Koa());
    app.use(async (context, next) => {
      context.set('X-Host', 'koa');
      await next();
      if (context.path === '/other') context.status = 204;
    });
    app.use(setMirrorRouter({ useCase }).routes());
    return listening(createServer(app.callback()));
  },
  'node:http': (useCase) => {
    const listener = setMirrorListener({ useCase });
    return listening(
      createServer((request, response) => {
        listener(request, response, () => response.writeHead(204).end());
      }),
    );
  },
  Express: (useCase) => {
    const app = express().disable('x-powered-by');
    app.use(setMirrorListener({ useCase }));
    app.use(express.json());
    app.post('/other', (_request, response) => void response.sendStatus(204));
    return listening(createServer(app));
  },
  Fastify: async (useCase) => {
    const app = fastify();
    const listener = setMirrorListener({ useCase });
    app.all(setMirrorPath, {
      onRequest: async (request, reply) => {
        reply.hijack();
        listener(request.raw, reply.raw);
      },
      handler: () => {},
    });
    app.post('/other', (_request, reply) => reply.status(204).send());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  },
};

describe('the route in applications of others', () => {
  const service = withHttpService();
  const useCase = () => new SetCampaignMirror(service().world.campaigns, service().world.identity);

  const requests: Readonly<Record<string, () => Asking>> = {
    'the mirror set': () => ({}),
    'no key': () => ({ headers: { Authorization: undefined } }),
    'a malformed key': () => ({ headers: { Authorization: 'Bearer cm_x' } }),
    'two keys': () => ({ headers: { Authorization: [`Bearer ${service().keys.valid}`, 'Bearer cm_x'] } }),
    'an unknown key': () => ({ headers: { Authorization: `Bearer ${service().keys.unknown}` } }),
    'another content type': () => ({ headers: { 'Content-Type': 'text/plain' } }),
    'too large a body': () => ({ body: 'x'.repeat(16_385) }),
    'a body that is not UTF-8': () => ({
      body: Buffer.from('{"mirror_endpoint":"https://a.example/\xff"}', 'latin1'),
    }),
    'no such campaign': () => ({ campaign: 424_242 }),
    'a malformed identifier': () => ({ campaign: '%31' }),
    "somebody else's campaign": () => ({ campaign: service().campaigns.foreign }),
    'no address': () => ({ body: '{}' }),
    'another method': () => ({ method: 'PUT' }),
    OPTIONS: () => ({ method: 'OPTIONS', body: undefined }),
  };

  for (const [name, start] of Object.entries(hosts)) {
    describe(name, () => {
      let host: Host;
      before(async () => {
        host = await start(useCase());
      });
      after(() => host.close());

      for (const [what, asking] of Object.entries(requests)) {
        it(`${what}: the answer that the service gives`, async () => {
          const ours = await ask(service(), asking());
          const theirs = await ask({ ...service(), port: host.port }, asking());
          expect([theirs.status, comparable(theirs.body)]).to.deep.equal([
            ours.status,
            comparable(ours.body),
          ]);
          const { date: _, 'x-request-id': id, 'x-host': __, ...headers } = theirs.headers;
          const { date: ___, 'x-request-id': ____, ...expected } = ours.headers;
          // Hosts say differently how long a connection may be idle.
          expect(without(headers)).to.deep.equal(without(expected));
          expect(id).to.match(/^\S{1,128}$/);
        });
      }

      it('a body that waits for 100 Continue gets it once', async () => {
        const connection = await RawConnection.open(host.port);
        const headers = { Expect: '100-continue', Connection: 'close' };
        await connection.send(requestBytes(service(), { headers }));
        expect((await connection.closed()).match(/HTTP\/1\.1 \d+/g)).to.deep.equal([
          'HTTP/1.1 100',
          'HTTP/1.1 200',
        ]);
      });

      it('the rest of the application answers as before', async () => {
        const theirs = await ask({ ...service(), port: host.port }, { target: '/other' });
        expect(theirs.status).to.equal(204);
      });
    });
  }

  it('a status that the application set before is not in the answer', async () => {
    const app = silent(new Koa());
    app.use((context, next) => {
      context.status = 200;
      return next();
    });
    app.use(setMirrorRouter({ useCase: useCase() }).routes());
    const host = await listening(createServer(app.callback()));
    const connection = await RawConnection.open(host.port);
    const headers = { Authorization: undefined, Connection: 'close' };
    await connection.send(requestBytes(service(), { headers }));
    expect(await connection.closed()).to.match(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    await host.close();
  });

  it('a listener without a next answers other paths with the 404 of the contract', async () => {
    const host = await listening(createServer(setMirrorListener({ useCase: useCase() })));
    const { status, body } = await ask({ ...service(), port: host.port }, { target: '/other' });
    expect([status, body]).to.deep.equal([404, '{"message":"The route /other could not be found."}']);
    await host.close();
  });

  it('below a prefix of a Koa router', async () => {
    const app = silent(new Koa());
    app.use(new Router({ prefix: '/api' }).use(setMirrorRouter({ useCase: useCase() }).routes()).routes());
    const host = await listening(createServer(app.callback()));
    const target = `/api/public/v1/mirror/campaign/${service().campaigns.own}/mirror`;
    expect((await ask({ ...service(), port: host.port }, { target })).status).to.equal(200);
    await host.close();
  });

  for (const [what, execute] of Object.entries({
    'a result': async () => ({ kind: 'campaign-not-found' }) as const,
    'a fault': () => Promise.reject(new Unavailable('the database is away')),
  })) {
    it(`${what} after the application has begun an answer of its own leaves that as it is`, async () => {
      const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
      const listener = setMirrorListener({
        useCase: { execute: () => begun.promise.then(execute) } as unknown as SetCampaignMirror,
        observer: { answered: (...answer) => done.resolve(answer.at(-1)) },
      });
      const host = await listening(
        createServer((request, response) => {
          listener(request, response);
          response.writeHead(504, { 'Content-Length': 8 }).write('too ');
          begun.resolve();
          void done.promise.then(() => response.end('slow'));
        }),
      );
      const { status, body } = await ask({ ...service(), port: host.port }, {});
      expect([status, body, await done.promise]).to.deep.equal([504, 'too slow', true]);
      await host.close();
    });
  }

  for (const [what, before] of Object.entries<Koa.Middleware>({
    'a reader of forms': bodyParser({ enableTypes: ['form'] }),
    'something that turns a reader of bodies off': (context, next) => {
      Object.assign(context, { disableBodyParser: true });
      return next();
    },
  })) {
    it(`behind ${what}, which has not read the body, it is read`, async () => {
      const app = silent(new Koa()).use(before);
      app.use(setMirrorRouter({ useCase: useCase() }).routes());
      const host = await listening(createServer(app.callback()));
      expect((await ask({ ...service(), port: host.port }, {})).status).to.equal(200);
      await host.close();
    });
  }

  it('behind something that reads bodies as text, the log says so', async () => {
    const failures: unknown[] = [];
    const log = { answered: () => {}, failed: (_id: string, error: unknown) => void failures.push(error) };
    const listener = setMirrorListener({ useCase: useCase(), log });
    const host = await listening(
      createServer((request, response) => listener(request.setEncoding('utf8'), response)),
    );
    expect((await ask({ ...service(), port: host.port }, {})).status).to.equal(500);
    expect(String(failures)).to.include('stream encoding should not be set');
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
