import {
  Calls,
  Capacity,
  HttpServer,
  type OperatorsSettings,
  operatorsApplication,
} from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { CapturedLog } from '../support/http/log.ts';

describe('contract: life — the ops listener', () => {
  let readiness: OperatorsSettings['readiness'] = async () => ({});
  const version = { name: 'campaign-mirror', version: '1.2.3', node: 'v26.0.0', migration: '0001-schema' };
  const log = new CapturedLog();
  const capacity = new Capacity({ inFlight: 64 });
  const shared = { calls: new Calls({ log }), log, capacity };
  const app = operatorsApplication({
    ...shared,
    readiness: () => readiness(),
    version,
  });
  const server = new HttpServer(app.callback(), shared);
  let port = 0;
  before(async () => {
    ({ port } = await server.listen(0, '127.0.0.1'));
  });
  after(() => server.drain(0));

  async function ask(method: string, target: string) {
    const connection = await RawConnection.open(port);
    await connection.send(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const response = await connection.response({ toHead: method === 'HEAD' });
    expect(await connection.closed()).to.equal('');
    return response;
  }

  const good = {
    '/livez': { status: 'alive', checks: {} },
    '/readyz': { status: 'ready', checks: { database: true, schema: true } },
    '/version': version,
  };
  for (const [path, told] of Object.entries(good)) {
    it(`contract: life — ${path} is 200, and HEAD has its headers only`, async () => {
      readiness = async () => ({ database: true, schema: true });
      const [head, { status, headers, body }] = [
        await ask('HEAD', path),
        await ask('GET', `${path}?verbose`),
      ];
      expect([status, JSON.parse(body)]).to.deep.equal([200, told]);
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(headers['cache-control']).to.equal('no-store');
      expect([head.status, head.body]).to.deep.equal([200, '']);
      expect(head.headers['content-length']).to.equal(headers['content-length']);
    });
  }

  const notReady: Record<string, OperatorsSettings['readiness']> = {
    'one thing is not there': async () => ({ database: false, schema: true }),
    'the question fails': () => Promise.reject(new Error('secret')),
  };
  for (const [name, question] of Object.entries(notReady)) {
    it(`contract: life — /readyz is 503 when ${name}`, async () => {
      readiness = question;
      const { status, body } = await ask('GET', '/readyz');
      expect([status, JSON.parse(body).status]).to.deep.equal([503, 'not ready']);
      expect(body).not.to.include('secret');
    });
  }

  it('contract: life — other methods are 405 with Allow, OPTIONS is 204', async () => {
    for (const path of Object.keys(good)) {
      for (const method of ['POST', 'TRACE']) {
        const { status, headers } = await ask(method, path);
        expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD']);
      }
      const { status, headers } = await ask('OPTIONS', path);
      expect([status, headers.allow]).to.deep.equal([204, 'GET, HEAD']);
    }
  });

  it('contract: life — any other path is 404', async () => {
    for (const path of ['/livez/', '/LIVEZ', '/constructor', '/public/v1/mirror/campaign/1/mirror']) {
      const { status, body } = await ask('GET', path);
      expect([status, body]).to.deep.equal([404, `{"message":"The route ${path} could not be found."}`]);
    }
  });
});
