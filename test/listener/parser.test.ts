import { expect } from 'chai';
import { closing, json, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, chunkedBytes, exchange, goodBody, pathOf, requestBytes } from '../support/http/request.ts';
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
  'two equal Content-Lengths': (s) => byHand(s, [host, length, length]),
  'two different Content-Lengths': (s) => byHand(s, [host, length, 'Content-Length: 1']),
  'a list as Content-Length': (s) => byHand(s, [host, `${length}, ${goodBody.length}`]),
  'a negative Content-Length': (s) => byHand(s, [host, 'Content-Length: -1']),
  'a signed Content-Length': (s) => byHand(s, [host, `Content-Length: +${goodBody.length}`]),
  'a hexadecimal Content-Length': (s) => byHand(s, [host, 'Content-Length: 0x10']),
  'a Content-Length above 2^64': (s) => byHand(s, [host, `Content-Length: ${2n ** 64n}`]),
  'Content-Length with Transfer-Encoding': (s) => byHand(s, [host, length, chunked]),
  'Transfer-Encoding with Content-Length': (s) => byHand(s, [host, chunked, length]),
  'a transfer coding that is not decoded': (s) =>
    byHand(s, [host, 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
  'chunked not last': (s) => byHand(s, [host, 'Transfer-Encoding: chunked, gzip'], '0\r\n\r\n'),
  'chunked twice': (s) => byHand(s, [host, chunked, chunked], '0\r\n\r\n'),
  'an unknown transfer coding': (s) => byHand(s, [host, 'Transfer-Encoding: xchunked'], '0\r\n\r\n'),
  'an empty Transfer-Encoding': (s) => byHand(s, [host, 'Transfer-Encoding:'], ''),
  'a transfer coding in HTTP/1.0': (s) =>
    byHand(s, [host, chunked], '0\r\n\r\n', `POST ${pathOf(s.campaigns.own)} HTTP/1.0`),
  'a bare LF between header lines': (s) => byHand(s, [`${host}\n${length}`]),
  'a bare LF after the request line': (s) => byHand(s, [host, length]).replace('\r\n', '\n'),
  'bare LFs only': (s) => byHand(s, [host, length]).replaceAll('\r\n', '\n'),
  'a bare CR in a value': (s) => byHand(s, [host, 'X-A: b\rX-B: c', length]),
  'obs-fold': (s) => byHand(s, [host, length, 'X-Folded: a\r\n b']),
  'obs-fold of the key': (s) => byHand(s, [host, length]).replace('Bearer ', 'Bearer\r\n '),
  'a space before the colon': (s) => byHand(s, ['Host : a', length]),
  'a space before the first header': (s) => byHand(s, [host, length]).replace('\r\n', '\r\n '),
  'an empty header name': (s) => byHand(s, [host, length, ': a']),
  'a header without a colon': (s) => byHand(s, [host, length, 'nothing']),
  'a NUL in a value': (s) => byHand(s, [host, length, 'X-A: a\0b']),
  'a control character in a value': (s) => byHand(s, [host, length, 'X-A: a\x01b']),
  'an invalid chunk size': (s) => byHand(s, [host, chunked], `xyz\r\n${goodBody}\r\n0\r\n\r\n`),
  'an empty chunk size': (s) => byHand(s, [host, chunked], `\r\n${goodBody}\r\n0\r\n\r\n`),
  'a negative chunk size': (s) => byHand(s, [host, chunked], `-1\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk size in 0x': (s) => byHand(s, [host, chunked], `0x${size}\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk size above 2^64': (s) =>
    byHand(s, [host, chunked], `${'f'.repeat(17)}\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk that is longer than its size': (s) => byHand(s, [host, chunked], `1\r\n${goodBody}\r\n0\r\n\r\n`),
  'a chunk size behind a bare LF': (s) => byHand(s, [host, chunked], `${size}\n${goodBody}\r\n0\r\n\r\n`),
  'overlong chunk extensions': (s) =>
    byHand(s, [host, chunked], `${size};${'a'.repeat(20_000)}\r\n${goodBody}\r\n0\r\n\r\n`),
  'no Host': (s) => byHand(s, [length]),
  'two Hosts': (s) => byHand(s, [host, 'Host: b', length]),
  'two equal Hosts': (s) => byHand(s, [host, host, length]),
  'two Hosts in HTTP/1.0': (s) => byHand(s, [host, host, length]).replace('HTTP/1.1', 'HTTP/1.0'),
  'a Host with a path': (s) => byHand(s, ['Host: a/b', length]),
  'a Host with user information': (s) => byHand(s, ['Host: a@b', length]),
  'a Host with a space': (s) => byHand(s, ['Host: a b', length]),
  'a Host with a port that is none': (s) => byHand(s, ['Host: a:b', length]),
  'a list as Host': (s) => byHand(s, ['Host: [a', length]),
  'HTTP/2.0 in the request line': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/2.0'),
  'HTTP/1.2 in the request line': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/1.2'),
  'HTTP/0.9 in the request line': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/0.9'),
  'no version': (s) => byHand(s, [host, length]).replace(' HTTP/1.1', ''),
  'another protocol': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'ICE/1.1'),
  'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'PRI as a method': () => 'PRI * HTTP/1.1\r\nHost: a\r\n\r\n',
  'an unknown method': (s) => byHand(s, [host, length]).replace('POST', 'BREW'),
  'a method in lower case': (s) => byHand(s, [host, length]).replace('POST', 'post'),
  'a target without a slash': (s) => byHand(s, [host, length]).replace('POST /', 'POST '),
  'a space in the target': (s) => byHand(s, [host, length]).replace('/mirror ', '/mirror x '),
  'a control character in the target': (s) => byHand(s, [host, length]).replace('/mirror ', '/mir\x01ror '),
  'a TLS greeting': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  garbage: () => '\xff\xfe\xfd\r\n\r\n',
};

const accepted: Record<string, (service: HttpService) => string> = {
  'an empty line before the request': (s) => `\r\n${byHand(s, [host, length])}`,
  'an empty Host': (s) => byHand(s, ['Host:', length]),
  'a Host with a port': (s) => byHand(s, ['Host: example.com:8080', length]),
  'a Host that is an IPv6 address': (s) => byHand(s, ['Host: [::1]:8080', length]),
  'HTTP/1.0 with Host': (s) => byHand(s, [host, length]).replace('HTTP/1.1', 'HTTP/1.0'),
  'HTTP/1.0 without Host': (s) => byHand(s, [length]).replace('HTTP/1.1', 'HTTP/1.0'),
  'a value without a space before it': (s) => byHand(s, ['Host:a', length]),
  'chunks with extensions': (s) => byHand(s, [host, chunked], `${size};a=b\r\n${goodBody}\r\n0\r\n\r\n`),
  'chunk sizes in capitals, with leading zeros': (s) =>
    byHand(s, [host, chunked], `000${size.toUpperCase()}\r\n${goodBody}\r\n0\r\n\r\n`),
  'Transfer-Encoding in another case': (s) =>
    byHand(s, [host, 'transfer-encoding: CHUNKED'], `${size}\r\n${goodBody}\r\n0\r\n\r\n`),
  'chunked with trailers': (s) =>
    byHand(s, [host, chunked], `${size}\r\n${goodBody}\r\n0\r\nX-Trailer: a\r\n\r\n`),
  'an Upgrade that nobody offers': (s) =>
    byHand(s, [host, length, 'Connection: upgrade', 'Upgrade: websocket']),
  'an absolute-form target': (s) => byHand(s, [host, length]).replace('POST /', 'POST http://b.example:80/'),
  'an absolute-form target of another scheme in capitals': (s) =>
    byHand(s, [host, length]).replace('POST /', 'POST HTTPS://b.example/'),
  'a query': (s) => byHand(s, [host, length]).replace('/mirror ', '/mirror?a=/b?c ').replace('POST', 'POST'),
  'an empty query': (s) => byHand(s, [host, length]).replace('/mirror ', '/mirror? '),
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
      requestBytes(service(), { target: `/${long}` }),
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

  it('contract: answers — HTTP/1.0: the connection closes unless the caller asks to keep it', async () => {
    const once = await ask(service(), { version: 'HTTP/1.0' });
    expect([once.status, once.headers.connection]).to.deep.equal([200, 'close']);
    const kept = await ask(service(), { version: 'HTTP/1.0', headers: { Connection: 'keep-alive' } });
    expect([kept.status, kept.headers.connection]).to.deep.equal([200, 'keep-alive']);
  });
});
