import { Calls, HttpServer, opsApplication, Slots } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { json } from '../support/http/answer-rows.ts';
import { exchange } from '../support/http/request.ts';

describe('contract: life: the listener for operators', () => {
  let readiness: () => Promise<Record<string, boolean>>;
  const version = { version: '1.2.3', node: 'v26.0.0' };
  const shared = { calls: new Calls(), slots: new Slots(64) };
  const app = opsApplication({
    ...{ ...shared, version, names: ['mirrors.internal'] },
    readiness: () => readiness(),
  });
  const server = new HttpServer(app.callback(), shared);
  let port = 0;
  before(async () => {
    ({ port } = await server.listen(0, '127.0.0.1'));
  });
  after(() => server.drain(0));

  const ask = (method: string, target: string, host = '127.0.0.1') =>
    exchange({ port }, `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

  it('/livez, /readyz and /version answer GET and HEAD only', async () => {
    readiness = async () => ({ database: true, schema: true });
    for (const [path, shown] of Object.entries({
      '/livez': { status: 'alive', checks: {} },
      '/readyz': { status: 'ready', checks: { database: true, schema: true } },
      '/version': version,
    })) {
      const { status, headers, body } = await ask('GET', `${path}?verbose`);
      expect([status, JSON.parse(body)]).to.deep.equal([200, shown]);
      expect(headers).to.include({ 'content-type': json, 'cache-control': 'no-store, no-transform' });
      const head = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
    }
    expect((await ask('POST', '/livez')).status).to.equal(405);
    expect((await ask('GET', '/public/v1/mirror/campaign/1/mirror')).status).to.equal(404);
  });

  it('/readyz is 503 if a check is false or fails', async () => {
    for (const checks of [async () => ({ database: false }), () => Promise.reject(new Error('secret'))]) {
      readiness = checks;
      const { status, body } = await ask('GET', '/readyz');
      expect([status, JSON.parse(body).status]).to.deep.equal([503, 'not ready']);
      expect(body).not.to.include('secret');
    }
  });

  const byHost: Record<number, readonly string[]> = {
    200: ['127.0.0.1', '10.0.0.7:3001', '[::1]', '[::1]:3001', 'LOCALHOST.:1', '', 'mirrors.internal:80'],
    421: ['a', '1.2.3', '127.0.0.1..', '127.0.0.1.evil.example', 'localhost.evil', 'x.mirrors.internal'],
    400: ['[localhost]'],
  };
  it('a Host other than an address, localhost or a name on the list is 421 (DNS rebinding)', async () => {
    for (const [status, hosts] of Object.entries(byHost))
      for (const host of hosts)
        expect((await ask('GET', '/livez', host)).status, host).to.equal(Number(status));
  });
});
