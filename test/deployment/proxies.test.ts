import { expect } from 'chai';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { callByHttp2, callersAddress, type TlsCall, TlsCaller } from '../support/deployment/tls-caller.ts';
import { proxyNames, type TlsProxy, tlsProxy } from '../support/deployment/tls-proxy.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

const forged = {
  'X-Forwarded-For': ['203.0.113.9', '203.0.113.10, 127.0.0.1'],
  Forwarded: 'for=203.0.113.9',
  'X-Real-IP': '203.0.113.9',
};
const unavailable = { status: 503, body: '{"message":"Service Unavailable"}' };

for (const name of proxyNames) {
  describe(`the service behind ${name}`, () => {
    after(async () => {
      caller?.close();
      await proxy?.stop();
    });
    const data = serviceDataOf('suite');
    let service: Listening;
    let proxy: TlsProxy;
    let caller: TlsCaller;

    const serve = (PORT = '0') =>
      listeningService({ ...data.settings(), TRUSTED_PROXIES: '127.0.0.1', PORT });
    const port = () => Number(new URL(service.base).port);
    const update = (more: Partial<TlsCall> & { id?: string } = {}): TlsCall => ({
      path: `/public/v1/mirror/campaign/${data.campaigns[0]}/mirror`,
      body: JSON.stringify({ mirror_endpoint: 'https://second.example/?click={click_id}' }),
      ...more,
      headers: {
        Authorization: `Bearer ${data.key}`,
        'Content-Type': 'application/json',
        ...(more.id && { 'X-Request-Id': more.id }),
        ...more.headers,
      },
    });
    const lineOf = (id: unknown) =>
      service.process.says(() =>
        service.process.log.find(({ event, requestId }) => event === 'request' && requestId === id),
      );

    before(async () => {
      service = await serve();
      proxy = await tlsProxy(name, port());
      caller = new TlsCaller(proxy);
    });

    it('a mirror is set through TLS, and the log names the request and the client', async () => {
      const { status, headers, body } = await caller.call(update({ id: 'through-tls' }));
      expect(status).to.equal(200);
      expect(headers['x-request-id']).to.equal('through-tls');
      expect(JSON.parse(body).mirror.target_url).to.equal('https://second.example/?click={click_id}');
      expect(await lineOf('through-tls')).to.include({ client: callersAddress, status: 200 });
    });

    it('by HTTP/2 too', async () => {
      const { status, headers } = await callByHttp2(proxy, update());
      expect(status).to.equal(200);
      expect(await lineOf(headers['x-request-id'])).to.include({ status: 200 });
    });

    it('a request without an identifier is given one', async () => {
      const { headers } = await caller.call(update());
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{32,36}$/);
      expect(await lineOf(headers['x-request-id'])).to.include({ client: callersAddress });
    });

    it('what a caller says of its address is not believed', async () => {
      const { status } = await caller.call(update({ id: 'forged', headers: forged }));
      expect(status).to.equal(200);
      expect(await lineOf('forged')).to.include({ client: callersAddress });
    });

    it('the path arrives as it was sent', async () => {
      const { status, body } = await caller.call(
        update({ path: '/public/v1/mirror/campaign/%31%2f/mirror?a=b' }),
      );
      expect({ status, body }).to.deep.equal({
        status: 404,
        body: '{"message":"No query results for model [Campaign] 1/"}',
      });
    });

    for (const [size, id] of [
      [20_000, 'a little'],
      [200_000, 'far'],
    ] as const) {
      it(`a body that is ${id} too large hears so in JSON`, async () => {
        const { status, headers, body } = await caller.call(update({ body: 'x'.repeat(size) }));
        expect({ status, body }).to.deep.equal({
          status: 413,
          body: '{"message":"The request body is too large."}',
        });
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      });
    }

    it('connections to the service are kept', async () => {
      const between = await tcpProxy({ host: '127.0.0.1', port: port() });
      const own = await tlsProxy(name, between.port);
      const callers = [new TlsCaller(own), new TlsCaller(own)];
      for (let round = 0; round < 10; round++)
        for (const one of callers) expect((await one.call(update())).status).to.equal(200);
      expect(between.accepted).to.equal(1);
      for (const one of callers) one.close();
      await own.stop();
      await between.close();
    });

    it('the service ends and starts behind it: what is answered 200 was done, all else is 503', async () => {
      const callers = Array.from({ length: 8 }, () => new TlsCaller(proxy));
      const acknowledged: string[] = [];
      const others: object[] = [];
      let calls = 0;
      let done = false;
      let heard = () => {};
      const callAgain = async (one: TlsCaller) => {
        while (!done) {
          const id = `drain-${calls++}`;
          const { status, headers, body } = await one.call(update({ id }));
          if (status === 200) acknowledged.push(id);
          else
            others.push({ status, body, retry: headers['retry-after'], id: headers['x-request-id'] === id });
          heard();
        }
      };
      const until = (seen: () => boolean) =>
        new Promise<void>((resolve) => {
          heard = () => seen() && resolve();
        });
      const all = Promise.all(callers.map(callAgain));
      await until(() => acknowledged.length > 50);
      const old = service;
      expect((await old.process.stop()).code).to.equal(0);
      await until(() => others.length > 0);
      service = await serve(String(port()));
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 50);
      done = true;
      await all;
      for (const one of callers) one.close();
      const recorded = (await data.recorded()).filter((id) => id.startsWith('drain-'));
      expect(new Set(recorded)).to.deep.equal(new Set(acknowledged));
      for (const other of others) expect(other).to.deep.equal({ ...unavailable, retry: '1', id: true });
      const clients = old.process.log.filter(({ event }) => event === 'request').map(({ client }) => client);
      expect(clients).to.include(callersAddress);
    });
  });
}

describe('the service behind nginx that has a proxy before it', () => {
  const data = serviceDataOf('suite');
  it('the address that nginx adds itself is the one that counts', async () => {
    const service = await listeningService({ ...data.settings(), TRUSTED_PROXIES: 'loopback' });
    const proxy = await tlsProxy('nginx', Number(new URL(service.base).port), {
      'X-Forwarded-For $remote_addr;': 'X-Forwarded-For $proxy_add_x_forwarded_for;',
    });
    const caller = new TlsCaller(proxy);
    const headers = { 'X-Forwarded-For': '192.0.2.66, 203.0.113.9', 'X-Request-Id': 'two-proxies' };
    await caller.call({ path: '/', body: '', headers });
    // The caller is one of the trusted ones here: it is believed of whom it calls for, and not of more.
    expect(await service.process.event('request')).to.include({ client: '203.0.113.9' });
    caller.close();
    await proxy.stop();
  });
});
