import { expect } from 'chai';
import {
  callersAddress,
  type TlsAnswer,
  type TlsCall,
  type TlsCaller,
  tlsCaller,
} from '../support/deployment/tls-caller.ts';
import { proxyNames, type TlsProxy, tlsProxy } from '../support/deployment/tls-proxy.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

const forged = {
  'X-Forwarded-For': ['203.0.113.9', '203.0.113.10, 127.0.0.1'],
  Forwarded: 'for=203.0.113.9',
  'X-Real-IP': '203.0.113.9',
};
const second = 'https://second.example/?click={click_id}';

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

    const serve = (PORT = '0') => listeningService(data.settings({ TRUSTED_PROXIES: '127.0.0.1', PORT }));
    const port = () => Number(new URL(service.base).port);
    const update = (headers = {}, more: Partial<TlsCall> = {}): TlsCall => ({
      path: `/public/v1/mirror/campaign/${data.campaigns[0]}/mirror`,
      body: JSON.stringify({ mirror_endpoint: second }),
      ...more,
      headers: { Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json', ...headers },
    });
    const lineOf = ({ headers }: TlsAnswer) =>
      service.process.says(() =>
        service.process.log.find(
          ({ event, requestId }) => event === 'request' && requestId === headers['x-request-id'],
        ),
      );

    before(async () => {
      service = await serve();
      proxy = await tlsProxy(name, port());
      caller = tlsCaller(proxy);
    });

    it('a mirror is set, and the log names the request and the client, whatever a caller says of itself', async () => {
      const named = await caller.call(update({ 'X-Request-Id': 'through-tls' }));
      expect(named.headers['x-request-id']).to.equal('through-tls');
      const unnamed = await caller.call(update(forged));
      expect(unnamed.headers['x-request-id']).to.match(/^[0-9a-f-]{32,36}$/);
      for (const answer of [named, unnamed]) {
        expect(JSON.parse(answer.body).mirror.target_url).to.equal(second);
        expect(await lineOf(answer)).to.include({ client: callersAddress, status: 200 });
      }
    });

    it('the path arrives as it was sent, and what is too large hears so in JSON', async () => {
      const path = '/public/v1/mirror/campaign/%31%2f/mirror?a=b';
      const tooLarge = '{"message":"The request body is too large."}';
      for (const [more, status, body] of [
        [{ path }, 404, '{"message":"No query results for model [Campaign] 1/"}'],
        [{ body: 'x'.repeat(20_000) }, 413, tooLarge],
        [{ body: 'x'.repeat(200_000) }, 413, tooLarge],
      ] as const) {
        const { headers, ...answer } = await caller.call(update({}, more));
        expect(answer).to.deep.equal({ status, body });
        expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      }
    });

    it('after a body in chunks that is too large, the next caller on the same connection has its answer at once', async () => {
      const chunked = { 'Transfer-Encoding': 'chunked' };
      for (const [body, expected] of [
        ['x'.repeat(40_000), 413],
        ['x'.repeat(400_000), 413],
        [update().body, 200],
      ] as const) {
        const { status } = await caller.call(update(chunked, { body }));
        expect(status).to.equal(expected);
        const other = tlsCaller(proxy);
        expect((await other.call(update())).status).to.equal(200);
        other.close();
      }
    });

    it('the service ends and starts behind it: what is answered 200 was done, all else is 503', async () => {
      const acknowledged: string[] = [];
      const others: object[] = [];
      let calls = 0;
      let done = false;
      let heard = () => {};
      const callAgain = async () => {
        const one = tlsCaller(proxy);
        while (!done) {
          const id = `drain-${calls++}`;
          const { status, headers, body } = await one.call(update({ 'X-Request-Id': id }));
          if (status === 200) acknowledged.push(id);
          else
            others.push({ status, body, retry: headers['retry-after'], id: headers['x-request-id'] === id });
          heard();
        }
        one.close();
      };
      const until = (seen: () => boolean) =>
        new Promise<void>((resolve) => {
          heard = () => seen() && resolve();
        });
      const all = Promise.all(Array.from({ length: 8 }, callAgain));
      await until(() => acknowledged.length > 50);
      expect((await service.process.stop()).code).to.equal(0);
      await until(() => others.length > 0);
      service = await serve(String(port()));
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 50);
      done = true;
      await all;
      const recorded = (await data.recorded()).filter((id) => id.startsWith('drain-'));
      expect(new Set(recorded)).to.deep.equal(new Set(acknowledged));
      const unavailable = { status: 503, body: '{"message":"Service Unavailable"}', retry: '1', id: true };
      for (const other of others) expect(other).to.deep.equal(unavailable);
    });
  });
}
