import { expect } from 'chai';
import { closing, json, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, exchange, goodBody, pathOf, requestBytes } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

const badRequest = '{"message":"Bad Request"}';

/** A request of which the header section is written by hand; a good one but for what is added. */
function byHand(service: HttpService, lines: readonly string[], body = goodBody, start?: string): string {
  const head = [
    start ?? `POST ${pathOf(service.campaigns.own)} HTTP/1.1`,
    `Authorization: Bearer ${service.keys.valid}`,
    'Content-Type: application/json',
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const host = 'Host: a';
const length = `Content-Length: ${goodBody.length}`;
const chunked = 'Transfer-Encoding: chunked';
const size = goodBody.length.toString(16);

const refused: Record<string, (service: HttpService) => string> = {
  'two different Content-Lengths': (s) => byHand(s, [host, length, 'Content-Length: 1']),
  'Content-Length with Transfer-Encoding': (s) => byHand(s, [host, length, chunked]),
  'a transfer coding that is not decoded': (s) =>
    byHand(s, [host, 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
  'chunked not last': (s) => byHand(s, [host, 'Transfer-Encoding: chunked, gzip'], '0\r\n\r\n'),
  'chunked twice': (s) => byHand(s, [host, chunked, chunked], '0\r\n\r\n'),
  'an unknown transfer coding': (s) => byHand(s, [host, 'Transfer-Encoding: xchunked'], '0\r\n\r\n'),
  'an empty Transfer-Encoding': (s) => byHand(s, [host, 'Transfer-Encoding:'], ''),
  'a transfer coding in HTTP/1.0': (s) =>
    byHand(s, [host, chunked], '0\r\n\r\n', `POST ${pathOf(s.campaigns.own)} HTTP/1.0`),
  'a bare LF between header lines': (s) => byHand(s, [`${host}\n${length}`]),
  'obs-fold': (s) => byHand(s, [host, length, 'X-Folded: a\r\n b']),
  'a space before the colon': (s) => byHand(s, ['Host : a', length]),
  'an invalid chunk size': (s) => byHand(s, [host, chunked], `xyz\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk that is longer than its size': (s) => byHand(s, [host, chunked], `1\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk size behind a bare LF': (s) => byHand(s, [host, chunked], `${size}\n${goodBody}\r\n0\r\n\r\n`),
  'no Host': (s) => byHand(s, [length]),
  'two Hosts': (s) => byHand(s, [host, 'Host: b', length]),
  'two Hosts in HTTP/1.0': (s) => byHand(s, [host, host, length]).replace('HTTP/1.1', 'HTTP/1.0'),
  'a Host with a path': (s) => byHand(s, ['Host: a/b', length]),
  'a Host with user information': (s) => byHand(s, ['Host: a@b', length]),
  'a Host with a space': (s) => byHand(s, ['Host: a b', length]),
  'a Host with a port that is none': (s) => byHand(s, ['Host: a:b', length]),
  'a list as Host': (s) => byHand(s, ['Host: [a', length]),
  'HTTP/2.0 in the request line': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/2.0'),
  'HTTP/0.9 in the request line': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/0.9'),
  'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  garbage: () => '\xff\xfe\xfd\r\n\r\n',
};

const accepted: Record<string, (service: HttpService) => string> = {
  'an empty Host': (s) => byHand(s, ['Host:', length]),
  'a Host with a port': (s) => byHand(s, ['Host: example.com:8080', length]),
  'a Host that is an IPv6 address': (s) => byHand(s, ['Host: [::1]:8080', length]),
  'HTTP/1.0 without Host': (s) => byHand(s, [length]).replace('HTTP/1.1', 'HTTP/1.0'),
  'Transfer-Encoding in another case': (s) =>
    byHand(s, [host, 'transfer-encoding: CHUNKED'], `${size}\r\n${goodBody}\r\n0\r\n\r\n`),
  'an absolute-form target of another scheme in capitals': (s) =>
    byHand(s, [host, length]).replace('POST /', 'POST HTTPS://b.example/'),
  'a query': (s) => byHand(s, [host, length]).replace('/mirror ', '/mirror?a=/b?c '),
};

describe('contract: answers — parser refuses', () => {
  const service = withHttpService();

  for (const [name, bytes] of Object.entries(refused)) {
    it(`contract: answers — parser refuses: ${name}`, async () => {
      const { campaigns, port, world } = service();
      const connection = await RawConnection.open(port);
      void connection.send(bytes(service()));
      const { status, headers, body } = await connection.response();
      expect([status, body]).to.deep.equal([400, badRequest]);
      const { 'content-length': _, 'x-request-id': __, date: ___, ...others } = headers;
      expect(others).to.deep.equal({ ...standing, ...closing, 'content-type': json });
      expect(await connection.closed()).to.equal('');
      expect(await world.others.history(campaigns.own)).to.deep.equal([]);
    });
  }

  it('contract: answers — header fields too large: 431, whatever overflows', async () => {
    const long = 'a'.repeat(17_000);
    const overflowing = [
      requestBytes(service(), { headers: { [long]: 'a' } }),
      byHand(service(), [host, length, ...Array.from({ length: 17_000 }, () => 'a:')]),
      `POST /${long}`,
    ];
    for (const bytes of overflowing) {
      const { status, headers, body } = await exchange(service(), bytes);
      expect([status, body]).to.deep.equal([431, '{"message":"Request Header Fields Too Large"}']);
      expect(headers.connection).to.equal('close');
    }
  });

  it('contract: answers — garbage in the middle of a chunked body: 400, and no update', async () => {
    const { campaigns, port, world, log } = service();
    const whole = chunkedBytes(service(), [goodBody], { headers: { 'X-Request-Id': 'broken' } }).toString();
    const connection = await RawConnection.open(port);
    await connection.send(whole.replace('0\r\n\r\n', ''));
    await connection.send('garbage');
    const { status, headers, body } = await connection.response();
    expect([status, body, headers['x-request-id']]).to.deep.equal([400, badRequest, 'broken']);
    expect(await connection.closed()).to.equal('');
    expect(await world.others.history(campaigns.own)).to.deep.equal([]);
    expect(await log.line('broken')).to.include({ method: 'POST', status: 400, because: 'bad-request' });
    expect(log.requests.filter(({ requestId }) => requestId === 'broken')).to.have.length(1);
  });
});

describe('contract: answers — the parser accepts', () => {
  const service = withHttpService();

  for (const [name, bytes] of Object.entries(accepted)) {
    it(`contract: answers — mirror set: ${name}`, async () => {
      expect((await exchange(service(), bytes(service()))).status).to.equal(200);
    });
  }

  it('contract: answers — mirror set: a caller that closes its side after the request is answered', async () => {
    const connection = await RawConnection.open(service().port);
    connection.socket.end(requestBytes(service()));
    expect((await connection.response()).status).to.equal(200);
    expect(await connection.closed()).to.equal('');
  });
});
