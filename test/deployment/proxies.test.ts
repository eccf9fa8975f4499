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

const updateOf =
  (data: ReturnType<typeof serviceDataOf>) =>
  (headers = {}, more: Partial<tls.TlsCall> = {}): tls.TlsCall => ({
    path: pathOf(Number(data.campaigns[0])),
    body: bodyWith(second),
    ...more,
    headers: { Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json', ...headers },
  });

describe('one client of nginx leaves room for others', () => {
  const data = serviceDataOf('suite');
  let proxy: tls.TlsProxy;
  const sockets: TLSSocket[] = [];
  before(async () => {
    // Otherwise the service holds back what has no key, and on a slow machine nginx has nothing to limit.
    const settings = { TRUSTED_PROXIES: '127.0.0.1', FAILED_KEY_LIMIT: 'off' };
    const { base } = await listeningService(data.settings(settings));
    proxy = await tls.tlsProxy('nginx', Number(new URL(base).port));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => proxy?.stop());

  const call = { path: pathOf(1), body: bodyWith(second) };
  const head = `POST ${call.path} HTTP/1.1\r\nHost: mirror.example.com\r\nContent-Length: 1\r\n\r\n`;
  /** From another address than others. */
  async function connected(localAddress: string): Promise<TLSSocket> {
    const { port, ca } = proxy;
    const to = { host: '127.0.0.1', port, ca, localAddress, servername: tls.host };
    const socket = connect(to);
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    return socket;
  }
  async function othersAreAnswered(): Promise<void> {
    for (const from of ['127.0.0.2', '::1']) {
      const caller = tls.tlsCaller(proxy, undefined, from);
      expect((await caller.call({ ...call, headers: {} })).status).to.equal(401);
      caller.close();
    }
  }
  const limited = '{"message":"Too Many Attempts."}';

  it('with more requests than it may have in a second', async () => {
    const sends = async () => {
      const caller = tls.tlsCaller(proxy, undefined, '127.0.0.3');
      for (;;) {
        const { status, headers, body } = await caller.call({ ...call, headers: {} });
        if (status !== 429) continue;
        expect([body, headers['retry-after']]).to.deep.equal([limited, '1']);
        expect(headers['x-request-id']).to.match(/^\w{32}$/);
        return caller.close();
      }
    };
    await Promise.all(Array.from({ length: 8 }, sends));
    await othersAreAnswered();
  });

  it('with more requests at once, whose bodies it does not send', async () => {
    const answers = Array.from({ length: 110 }, async () => {
      const socket = await connected('127.0.0.4');
      socket.write(head);
      return socket;
    });
    const all = await Promise.all(answers);
    await othersAreAnswered();
    const answered = () => all.filter((socket) => socket.bytesRead > 0);
    await eventually('refusals', () => expect(answered()).to.have.length(10));
    for (const socket of answered()) {
      const answer = String(socket.read());
      expect(answer)
        .to.match(/^HTTP\/1.1 429 /)
        .and.to.include(limited);
    }
  });
});

for (const name of tls.proxyNames) {
  describe(`the service behind ${name}`, () => {
    after(async () => {
      caller?.close();
      await proxy?.stop();
    });
    const data = serviceDataOf('suite');
    let service: Listening;
    let proxy: tls.TlsProxy;
    let caller: tls.TlsCaller;

    const serve = (PORT = '0') => listeningService(data.settings({ TRUSTED_PROXIES: '127.0.0.1', PORT }));
    const port = () => Number(new URL(service.base).port);
    const update = updateOf(data);
    const lineOf = ({ headers }: tls.TlsAnswer) =>
      service.process.says(() =>
        service.process.log.find(
          ({ event, requestId }) => event === 'request' && requestId === headers['x-request-id'],
        ),
      );

    before(async () => {
      service = await serve();
      // These callers wait for nothing: they would be limited.
      const unlimited = name === 'nginx' ? { 'rate=500r/s': 'rate=100000r/s' } : {};
      proxy = await tls.tlsProxy(name, port(), unlimited);
      caller = tls.tlsCaller(proxy);
    });

    it('a mirror is set, and the log names the request and the client, whatever a caller says of itself', async () => {
      const named = await caller.call(update({ 'X-Request-Id': 'through-tls' }));
      expect(named.headers['x-request-id']).to.equal('through-tls');
      const unnamed = await caller.call(update(forged));
      expect(unnamed.headers['x-request-id']).to.match(/^[0-9a-f-]{32,36}$/);
      for (const answer of [named, unnamed]) {
        expect(JSON.parse(answer.body).mirror.target_url).to.equal(second);
        expect(await lineOf(answer)).to.include({ client: tls.callersAddress, status: 200 });
      }
    });

    it('the path arrives as it was sent, and what is too large hears so in JSON', async () => {
      const path = '/public/v1/mirror/campaign/%31%2f/mirror?a=b';
      const tooLarge = '{"message":"The request body is too large."}';
      for (const [more, status, body] of [
        [{ path }, 404, '{"message":"No query results for model [Campaign] %31%2f"}'],
        [{ body: 'x'.repeat(20_000) }, 413, tooLarge],
        [{ body: 'x'.repeat(200_000) }, 413, tooLarge],
      ] as const) {
        const { headers, ...answer } = await caller.call(update({ 'X-Request-Id': 'refused' }, more));
        expect(answer).to.deep.equal({ status, body });
        expect(headers).to.include({ 'x-request-id': 'refused', 'content-type': json });
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
        const other = tls.tlsCaller(proxy);
        expect((await other.call(update())).status).to.equal(200);
        other.close();
      }
    });

    it('without the service a caller gets its 503, in JSON, with the identifier of the request', async () => {
      await service.process.stop();
      const { status, body, headers } = await caller.call(update({ 'X-Request-Id': 'while-away' }));
      expect([status, body]).to.deep.equal([503, '{"message":"Service Unavailable"}']);
      expect(headers).to.include({ 'retry-after': '1', 'x-request-id': 'while-away', 'content-type': json });
      service = await serve(String(port()));
    });

    // HAProxy answers what it cannot parse in HTML, and closes a connection of a caller whose request the service did not answer.
    if (name === 'haproxy') return;

    it('a malformed chunk is 400, in JSON, at the beginning of a body and in its middle, and so is what nginx refuses itself', async () => {
      const { path, headers } = update({ 'Transfer-Encoding': 'chunked', Host: tls.host });
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
      const refused = (status: number, message: string) =>
        new RegExp(
          `^HTTP/1\\.1 ${status} (?!.*retry-after)(?=.*x-request-id: \\S).*type: ${json}\r\n.*{"message":"${message}"}`,
          'is',
        );
      const expected = refused(400, 'Bad Request');
      for (const chunks of ['zz\r\n', '2\r\n{}\r\nzz\r\n', '2\r\n{}x\r\n0\r\n\r\n'])
        expect(await tls.exchange(proxy, head + chunks), chunks).to.match(expected);
      if (name !== 'nginx') return;
      // What nginx finds no path in, it refuses itself, as it does what it does not know and what is too long.
      const long = 'x'.repeat(20_000);
      for (const [old, anew, ofIt = expected] of [
        [path, '*'],
        [path, '/\u007f'],
        [
          'POST',
          'TRACE',
          refused(405, 'The TRACE method is not supported for this route. Supported methods: POST.'),
        ],
        ['chunked', 'gzip'],
        ['HTTP/1.1', 'HTTP/3.1'],
        [path, `/${long}`, refused(431, 'Request Header Fields Too Large')],
        ['Host', `Long: ${long}\r\nHost`, refused(431, 'Request Header Fields Too Large')],
      ] as const)
        expect(await tls.exchange(proxy, head.replace(old, anew)), anew.slice(0, 20)).to.match(ofIt);
    });

    // nginx closes the connection without an answer.
    if (name === 'caddy')
      it('a body that stops is answered by the service', async () => {
        const { path, headers } = update({
          'Content-Length': '9',
          Host: tls.host,
          'X-Request-Id': 'stopped',
        });
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
        const answer = await tls.exchange(proxy, `${head}{`, '"}');
        expect(answer).to.match(/^HTTP\/1\.1 408 .*x-request-id: stopped\r\n/is);
      });

    it('the service ends and starts behind it: what is answered 200 was done, all else is 503', async () => {
      const acknowledged: string[] = [];
      const others: object[] = [];
      let calls = 0;
      let done = false;
      const callAgain = async () => {
        const one = tls.tlsCaller(proxy);
        while (!done) {
          const id = `drain-${calls++}`;
          const { status, headers, body } = await one.call(update({ 'X-Request-Id': id }));
          if (status === 200) acknowledged.push(id);
          else
            others.push({ status, body, retry: headers['retry-after'], id: headers['x-request-id'] === id });
        }
        one.close();
      };
      const reaches = (some: readonly unknown[], count: number) =>
        eventually(`${count} answers`, () => expect(some.length).to.be.at.least(count));
      const all = Promise.all(Array.from({ length: 8 }, callAgain));
      await reaches(acknowledged, 50);
      expect((await service.process.stop()).code).to.equal(0);
      await reaches(others, 1);
      service = await serve(String(port()));
      await reaches(acknowledged, acknowledged.length + 50);
      done = true;
      await all;
      const recorded = (await data.recorded()).filter((id) => id.startsWith('drain-'));
      expect(new Set(recorded)).to.deep.equal(new Set(acknowledged));
      const unavailable = { status: 503, body: '{"message":"Service Unavailable"}', retry: '1', id: true };
      for (const other of others) expect(other).to.deep.equal(unavailable);
    });
  });
}

const gzip = 'gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 0;';
const byType = 'AddOutputFilterByType DEFLATE application/json';
/** What each makes of the tag of a 200, and of a 412, when it compresses answers. None of them heeds `no-transform`. */
for (const [name, replaced, ofSet, ofRefused] of [
  ['nginx', { 'location / {': `${gzip} location / {` }, 'W/"N"', '"N"'],
  ['apache2', {}, '"N-gzip"', '"N-gzip"'],
  ['apache2', { 'SetOutputFilter DEFLATE': byType }, '"N-gzip"', '"N"'],
] as const) {
  describe(`the service behind ${name}, whose tags are ${ofSet}, and ${ofRefused} with 412`, () => {
    // Before the rest is ended by force: Apache ends its own processes.
    after(() => proxy?.stop());
    const data = serviceDataOf('suite');
    let proxy: tls.TlsProxy;

    it('a tag that is sent back as the proxy made it is the number of the change', async () => {
      const { base } = await listeningService(data.settings({ TRUSTED_PROXIES: '127.0.0.1' }));
      proxy = await tls.tlsProxy(name, Number(new URL(base).port), replaced);
      const caller = tls.tlsCaller(proxy);
      /** The tag of the answer, which must be of this form. */
      const sends = async (tag: string, status: 200 | 412, form: string, encoding = 'gzip') => {
        const body = bodyWith(status === 200 ? second : 'https://never.example/');
        const headers = { 'Accept-Encoding': encoding, 'If-Match': tag };
        const answer = await caller.call(updateOf(data)(headers, { body }));
        expect(answer.status, tag).to.equal(status);
        expect(JSON.parse(answer.body).mirror.target_url).to.equal(second);
        const last = 'select last_change_id as number from campaign_mirror.mirrors';
        const { rows } = await data.database.admin.query(last);
        expect(answer.headers.etag).to.equal(form.replace('N', rows[0].number));
        return String(answer.headers.etag);
      };
      const first = await sends('*', 200, ofSet);
      const next = await sends(first, 200, ofSet);
      const current = await sends(first, 412, ofRefused);
      await sends(current, 200, ofSet);
      await sends(next, 412, ofRefused);
      const untouched = await sends('*', 200, '"N"', 'identity');
      await sends(untouched, 200, ofSet);
      caller.close();
    });
  });
}
