import { expect } from 'chai';
import { json, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const inChunks = `${goodBody.length.toString(16)}\r\n${goodBody}\r\n0\r\n\r\n`;
const coding = (value: string) => (good: string) =>
  good
    .replace(`Content-Length: ${goodBody.length}`, `Transfer-Encoding:${value}`)
    .replace(goodBody, inChunks);
const host = (line: string) => (good: string) => good.replace('Host: a', line);

/** Changes of a good request with `Host: a`. */
const cases: Record<number, Record<string, (good: string) => string>> = {
  400: {
    'a transfer coding other than chunked': coding(' gzip, chunked'),
    'no Host': host('X: a'),
    'two Hosts': host('Host: a\r\nHost: b'),
    'a Host with a path': host('Host: a/b'),
    'a Host with user information': host('Host: a@b'),
  },
  200: {
    'an empty Host': host('Host:'),
    'a Host with a port': host('Host: example.com:8080'),
    'a Host that is an IPv6 address': host('Host: [::1]:8080'),
    'HTTP/1.0 without Host': (good) => host('X: a')(good).replace('HTTP/1.1', 'HTTP/1.0'),
    'Transfer-Encoding in upper case': coding(' CHUNKED'),
    'an absolute-form target': (good) => good.replace('POST /', 'POST HTTPS://b.example/'),
  },
};

describe('contract: connections: a malformed message is 400, and changes nothing', () => {
  const service = withHttpService();
  const history = () => service().world.others.history(service().campaigns.own);

  for (const [expected, changes] of Object.entries(cases))
    for (const [name, change] of Object.entries(changes))
      it(`${name} is ${expected}`, async () => {
        const before = await history();
        const good = requestBytes(service(), { headers: { Host: 'a' } }).toString();
        const connection = await RawConnection.open(service().port, change(good));
        const { status, headers, body } = await connection.response();
        expect(status).to.equal(Number(expected));
        if (status === 200) return;
        expect(body).to.equal('{"message":"Bad Request"}');
        const { 'content-length': _, 'x-request-id': __, date: ___, ...others } = headers;
        expect(others).to.deep.equal({ ...standing, connection: 'close', 'content-type': json });
        expect(await connection.closed()).to.equal('');
        expect(await history()).to.deep.equal(before);
      });
});
