import { expect } from 'chai';
import { json, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, exchange, goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const length = `Content-Length: ${goodBody.length}`;
const inChunks = `${goodBody.length.toString(16)}\r\n${goodBody}\r\n0\r\n\r\n`;
const coding =
  (value: string, body = inChunks) =>
  (good: string) =>
    good.replace(length, `Transfer-Encoding:${value}`).replace(goodBody, body);
const host = (line: string) => (good: string) => good.replace('Host: a', line);
const version = (other: string) => (good: string) => good.replace('HTTP/1.1', other);

/** What is done to a good request with `Host: a`. */
const cases: Record<number, Record<string, (good: string) => string>> = {
  400: {
    'a transfer coding that is not decoded': coding(' gzip, chunked'),
    'no Host': host('X: a'),
    'two Hosts': host('Host: a\r\nHost: b'),
    'a Host with a path': host('Host: a/b'),
    'a Host with user information': host('Host: a@b'),
  },
  200: {
    'an empty Host': host('Host:'),
    'a Host with a port': host('Host: example.com:8080'),
    'a Host that is an IPv6 address': host('Host: [::1]:8080'),
    'HTTP/1.0 without Host': (good) => version('HTTP/1.0')(host('X: a')(good)),
    'Transfer-Encoding in another case': coding(' CHUNKED'),
    'an absolute-form target': (good) => good.replace('POST /', 'POST HTTPS://b.example/'),
  },
};

describe('contract: connections: what the parser refuses, and accepts', () => {
  const service = withHttpService();
  const history = () => service().world.others.history(service().campaigns.own);

  for (const [expected, ways] of Object.entries(cases))
    for (const [name, spoil] of Object.entries(ways))
      it(`${name}: ${expected}`, async () => {
        const before = await history();
        const good = requestBytes(service(), { headers: { Host: 'a' } }).toString();
        const connection = await RawConnection.open(service().port, spoil(good));
        const { status, headers, body } = await connection.response();
        expect(status).to.equal(Number(expected));
        if (status === 200) return;
        expect(body).to.equal('{"message":"Bad Request"}');
        const { 'content-length': _, 'x-request-id': __, date: ___, ...others } = headers;
        expect(others).to.deep.equal({ ...standing, connection: 'close', 'content-type': json });
        expect(await connection.closed()).to.equal('');
        expect(await history()).to.deep.equal(before);
      });

  it('garbage in the middle of a chunked body: 400, one line in the log, and no update', async () => {
    const before = await history();
    const whole = chunkedBytes(service(), [goodBody], { headers: { 'X-Request-Id': 'broken' } }).toString();
    const connection = await RawConnection.open(service().port, whole.replace('0\r\n\r\n', ''));
    await connection.send('garbage');
    const { status, headers } = await connection.response();
    expect([status, headers['x-request-id']]).to.deep.equal([400, 'broken']);
    expect(await connection.closed()).to.equal('');
    expect(await history()).to.deep.equal(before);
    const line = await service().log.line('broken');
    expect(line).to.include({ method: 'POST', status: 400, because: 'bad-request' });
  });

  it('garbage behind headers that are refused: 400, without the challenge of the 401', async () => {
    const whole = chunkedBytes(service(), [goodBody], { headers: { Authorization: undefined } }).toString();
    const { status, headers } = await exchange(service(), whole.replace(/\r\n\r\n.*/s, '\r\n\r\ngarbage'));
    expect([status, headers['www-authenticate']]).to.deep.equal([400, undefined]);
  });
});
