import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import * as tls from '../support/deployment/tls-proxy.ts';
import { bodyWith, pathOf } from '../support/http/request.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const forged = {
  'X-Forwarded-For': ['203.0.113.9', '203.0.113.10, 127.0.0.1'],
  Forwarded: 'for=203.0.113.9',
  'X-Real-IP': '203.0.113.9',
};
const json = 'application/json; charset=utf-8';
const second = 'https://second.example/?click={click_id}';

/** Sends bytes, and resolves with the answer up to the end of the connection. */
async function exchange({ port, ca }: tls.TlsProxy, bytes: string): Promise<string> {
  const from = { localAddress: tls.callersAddress };
  const socket = connect({ host: '127.0.0.1', port, ca, servername: tls.host, ...from });
  socket.setEncoding('utf8').write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

describe('nginx limits each client, and answers the others', () => {
  const data = serviceDataOf('suite');
  let proxy: tls.TlsProxy;
  const sockets: TLSSocket[] = [];
  before(async () => {
    // The limit of the service would delay these callers before nginx limits them.
    const settings = { TRUSTED_PROXIES: '127.0.0.1', FAILED_KEY_LIMIT: 'off' };
    const { base } = await listeningService(data.settings(settings));
    proxy = await tls.tlsProxy('nginx', Number(new URL(base).port));
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy?.stop();
  });

  const call = { path: pathOf(1), body: bodyWith(second), headers: {} };
  const limited = '{"message":"Too Many Attempts."}';
  async function othersAreAnswered(): Promise<void> {
    for (const from of ['127.0.0.2', '::1']) {
      const caller = tls.tlsCaller(proxy, undefined, from);
      expect((await caller.call(call)).status).to.equal(401);
      caller.close();
    }
  }

  it('a client with too many requests in a second gets 429', async () => {
    const untilLimited = async () => {
      const caller = tls.tlsCaller(proxy, undefined, '127.0.0.3');
      for (;;) {
        const { status, headers, body } = await caller.call(call);
        if (status !== 429) continue;
        expect([body, headers['retry-after']]).to.deep.equal([limited, '1']);
        return caller.close();
      }
    };
    await Promise.all(Array.from({ length: 8 }, untilLimited));
    await othersAreAnswered();
  });

  it('a client with more than 100 unfinished requests gets 429', async () => {
    const head = `POST ${call.path} HTTP/1.1\r\nHost: ${tls.host}\r\nContent-Length: 1\r\n\r\n`;
    const begun = Array.from({ length: 110 }, async () => {
      const from = { localAddress: '127.0.0.4' };
      const to = { host: '127.0.0.1', port: proxy.port, ca: proxy.ca, servername: tls.host, ...from };
      const socket = connect(to).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'secureConnect');
      socket.write(head);
    });
    await Promise.all(begun);
    await othersAreAnswered();
    const answered = () => sockets.filter((socket) => socket.bytesRead > 0);
    await eventually('refusals', () => expect(answered()).to.have.length(10));
    for (const socket of answered())
      expect(String(socket.read()))
        .to.match(/^HTTP\/1.1 429 /)
        .and.to.include(limited);
  });
});

for (const name of tls.proxyNames)
  describe(`behind ${name}, callers get the answers of the service`, () => {
    after(async () => {
      caller?.close();
      await proxy?.stop();
    });
    const data = serviceDataOf('suite');
    let service: Listening;
    let proxy: tls.TlsProxy;
    let caller: tls.TlsCaller;

    const update = (headers = {}, more: Partial<tls.TlsCall> = {}): tls.TlsCall => ({
      path: pathOf(Number(data.campaigns[0])),
      body: bodyWith(second),
      ...more,
      headers: { Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json', ...headers },
    });
    before(async () => {
      service = await listeningService(data.settings({ TRUSTED_PROXIES: '127.0.0.1' }));
      const gzip = 'gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 0;';
      const replaced = name === 'nginx' ? { 'location / {': `${gzip} location / {` } : {};
      proxy = await tls.tlsProxy(name, Number(new URL(service.base).port), replaced);
      caller = tls.tlsCaller(proxy);
    });

    it('a mirror is set, and the log has the request id and the real client, whatever the caller claims', async () => {
      const named = await caller.call(update({ 'X-Request-Id': 'through-tls' }));
      expect(named.headers['x-request-id']).to.equal('through-tls');
      const unnamed = await caller.call(update(forged));
      expect(unnamed.headers['x-request-id']).to.match(/^[0-9a-f-]{32,36}$/);
      for (const { body, headers } of [named, unnamed]) {
        expect(JSON.parse(body).mirror.target_url).to.equal(second);
        const logged = (line: Record<string, unknown>) =>
          line.event === 'request' && line.requestId === headers['x-request-id'];
        const line = await service.process.says(() => service.process.log.find(logged));
        expect(line).to.include({ client: tls.callersAddress, status: 200 });
      }
    });

    it('the path arrives unchanged, and a body that is too large gets its 413 in JSON', async () => {
      const path = '/public/v1/mirror/campaign/%31%2f/mirror?a=b';
      const tooLarge = '{"message":"The request body is too large."}';
      for (const [more, status, body] of [
        [{ path }, 404, '{"message":"No query results for model [Campaign] %31%2f"}'],
        [{ body: 'x'.repeat(16_385) }, 413, tooLarge],
        [{ body: 'x'.repeat(327_680) }, 413, tooLarge],
      ] as const) {
        const { headers, ...answer } = await caller.call(update({ 'X-Request-Id': 'refused' }, more));
        expect(answer).to.deep.equal({ status, body });
        expect(headers).to.include({ 'x-request-id': 'refused', 'content-type': json });
      }
    });

    if (name === 'nginx')
      it('a tag that nginx weakened by compression is the number of the change', async () => {
        const sends = (tag: string) => caller.call(update({ 'Accept-Encoding': 'gzip', 'If-Match': tag }));
        const first = String((await sends('*')).headers.etag);
        expect(first).to.match(/^W\/"\d+"$/);
        const { status, headers } = await sends(first);
        expect([status, (await sends(first)).status]).to.deep.equal([200, 412]);
        expect((await sends(String(headers.etag))).status).to.equal(200);
      });

    // HAProxy's own answer to a request that it cannot parse is HTML.
    if (name !== 'haproxy')
      it('a malformed chunk is 400 in JSON', async () => {
        const { path, headers } = update({ Host: tls.host, 'Transfer-Encoding': 'chunked' });
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
        const malformed = new RegExp(
          `^HTTP/1\\.1 400 (?=.*x-request-id: \\S).*type: ${json}\r\n.*{"message":"Bad Request"}`,
          'is',
        );
        for (const chunks of ['zz\r\n', '2\r\n{}\r\nzz\r\n'])
          expect(await exchange(proxy, head + chunks), chunks).to.match(malformed);
      });

    it('without the service, a caller gets its 503 in JSON, with the request id', async () => {
      await service.process.stop();
      const { status, body, headers } = await caller.call(update({ 'X-Request-Id': 'while-away' }));
      expect([status, body]).to.deep.equal([503, '{"message":"Service Unavailable"}']);
      expect(headers).to.include({ 'retry-after': '1', 'x-request-id': 'while-away', 'content-type': json });
    });
  });
