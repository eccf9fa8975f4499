import { expect } from 'chai';
import { json, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, exchange, goodBody, pathOf, requestBytes } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

/** The header lines of a request that is good but for these, and its body. */
type ByHand = readonly [lines: readonly string[], body?: string];

const host = 'Host: a';
const length = `Content-Length: ${goodBody.length}`;
const chunked = 'Transfer-Encoding: chunked';
const size = goodBody.length.toString(16);
const end = '0\r\n\r\n';

const refused: Record<string, ByHand> = {
  'two different Content-Lengths': [[host, length, 'Content-Length: 1']],
  'Content-Length with Transfer-Encoding': [[host, length, chunked]],
  'a transfer coding that is not decoded': [[host, 'Transfer-Encoding: gzip, chunked'], end],
  'chunked not last': [[host, 'Transfer-Encoding: chunked, gzip'], end],
  'chunked twice': [[host, chunked, chunked], end],
  'an unknown transfer coding': [[host, 'Transfer-Encoding: xchunked'], end],
  'an empty Transfer-Encoding': [[host, 'Transfer-Encoding:'], ''],
  'a bare LF between header lines': [[`${host}\n${length}`]],
  'obs-fold': [[host, length, 'X-Folded: a\r\n b']],
  'a space before the colon': [['Host : a', length]],
  'an invalid chunk size': [[host, chunked], `xyz\r\n${goodBody}\r\n${end}`],
  'a chunk that is longer than its size': [[host, chunked], `1\r\n${goodBody}\r\n${end}`],
  'a chunk size behind a bare LF': [[host, chunked], `${size}\n${goodBody}\r\n${end}`],
  'no Host': [[length]],
  'two Hosts': [[host, 'Host: b', length]],
  'a Host with a path': [['Host: a/b', length]],
  'a Host with user information': [['Host: a@b', length]],
  'a Host with a space': [['Host: a b', length]],
  'a Host with a port that is none': [['Host: a:b', length]],
  'a list as Host': [['Host: [a', length]],
};
const accepted: Record<string, ByHand> = {
  'an empty Host': [['Host:', length]],
  'a Host with a port': [['Host: example.com:8080', length]],
  'a Host that is an IPv6 address': [['Host: [::1]:8080', length]],
  'Transfer-Encoding in another case': [
    [host, 'transfer-encoding: CHUNKED'],
    `${size}\r\n${goodBody}\r\n${end}`,
  ],
};
/** What is done to a good request as a whole. */
const spoilt: Record<string, readonly [number, (good: string) => string]> = {
  'a transfer coding in HTTP/1.0': [
    400,
    (good) => good.replace('HTTP/1.1', 'HTTP/1.0').replace(`${length}\r\n`, `${chunked}\r\n`),
  ],
  'two Hosts in HTTP/1.0': [
    400,
    (good) => good.replace('HTTP/1.1', 'HTTP/1.0').replace(host, `${host}\r\n${host}`),
  ],
  'HTTP/2.0 in the request line': [400, (good) => good.replace('HTTP/1.1', 'HTTP/2.0')],
  'HTTP/0.9 in the request line': [400, (good) => good.replace('HTTP/1.1', 'HTTP/0.9')],
  'the preface of HTTP/2': [400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  garbage: [400, () => '\xff\xfe\xfd\r\n\r\n'],
  'HTTP/1.0 without Host': [200, (good) => good.replace('HTTP/1.1', 'HTTP/1.0').replace(`${host}\r\n`, '')],
  'an absolute-form target': [200, (good) => good.replace('POST /', 'POST HTTPS://b.example/')],
  'a query': [200, (good) => good.replace('/mirror ', '/mirror?a=/b?c ')],
};

describe('contract: connections: what the parser refuses, and accepts', () => {
  const service = withHttpService();
  const byHand = ({ campaigns, keys }: HttpService, [lines, body = goodBody]: ByHand) =>
    [
      `POST ${pathOf(campaigns.own)} HTTP/1.1`,
      `Authorization: Bearer ${keys.valid}`,
      'Content-Type: application/json',
      ...lines,
      '',
      body,
    ].join('\r\n');
  const cases: (readonly [string, number, (service: HttpService) => string])[] = [
    ...Object.entries(refused).map(
      ([name, lines]) => [name, 400, (s: HttpService) => byHand(s, lines)] as const,
    ),
    ...Object.entries(accepted).map(
      ([name, lines]) => [name, 200, (s: HttpService) => byHand(s, lines)] as const,
    ),
    ...Object.entries(spoilt).map(
      ([name, [status, spoil]]) =>
        [name, status, (s: HttpService) => spoil(byHand(s, [[host, length]]))] as const,
    ),
  ];

  for (const [name, expected, bytes] of cases)
    it(`${name}: ${expected}`, async () => {
      const { campaigns, port, world } = service();
      const before = await world.others.history(campaigns.own);
      const connection = await RawConnection.open(port);
      void connection.send(bytes(service()));
      const { status, headers, body } = await connection.response();
      expect(status).to.equal(expected);
      if (status === 200) return;
      expect(body).to.equal('{"message":"Bad Request"}');
      const { 'content-length': _, 'x-request-id': __, date: ___, ...others } = headers;
      expect(others).to.deep.equal({ ...standing, connection: 'close', 'content-type': json });
      expect(await connection.closed()).to.equal('');
      expect(await world.others.history(campaigns.own)).to.deep.equal(before);
    });

  it('header fields too large: 431, whatever overflows', async () => {
    const long = 'a'.repeat(17_000);
    for (const bytes of [
      requestBytes(service(), { headers: { [long]: 'a' } }),
      byHand(service(), [[host, length, ...Array(17_000).fill('a:')]]),
      `POST /${long}`,
    ]) {
      const { status, headers, body } = await exchange(service(), bytes);
      expect([status, body]).to.deep.equal([431, '{"message":"Request Header Fields Too Large"}']);
      expect(headers.connection).to.equal('close');
    }
  });

  it('garbage in the middle of a chunked body: 400, one line in the log, and no update', async () => {
    const { campaigns, port, world, log } = service();
    const before = await world.others.history(campaigns.own);
    const whole = chunkedBytes(service(), [goodBody], { headers: { 'X-Request-Id': 'broken' } }).toString();
    const connection = await RawConnection.open(port);
    await connection.send(whole.replace(end, ''));
    await connection.send('garbage');
    const { status, headers } = await connection.response();
    expect([status, headers['x-request-id']]).to.deep.equal([400, 'broken']);
    expect(await connection.closed()).to.equal('');
    expect(await world.others.history(campaigns.own)).to.deep.equal(before);
    expect(await log.line('broken')).to.include({ method: 'POST', status: 400, because: 'bad-request' });
  });

  it('a caller that closes its side after the request is answered', async () => {
    const connection = await RawConnection.open(service().port);
    connection.socket.end(requestBytes(service()));
    expect((await connection.response()).status).to.equal(200);
    expect(await connection.closed()).to.equal('');
  });
});
