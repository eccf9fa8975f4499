import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

const waiting = { Expect: '100-continue', 'Content-Length': String(goodBody.length) };
const headOf = (service: HttpService, { headers, ...asking }: Asking = {}) =>
  requestBytes(service, { ...asking, headers: { ...waiting, ...headers }, body: undefined });

const gzipped = { 'Transfer-Encoding': 'gzip, chunked', 'Content-Length': undefined };
const refused: Record<string, readonly [number, (service: HttpService) => Asking]> = {
  'no key': [401, () => ({ headers: { Authorization: undefined } })],
  'an unknown route': [404, () => ({ target: '/' })],
  'another method': [405, () => ({ method: 'PUT' })],
  'another content type': [415, () => ({ headers: { 'Content-Type': 'text/plain' } })],
  'a body over the limit': [413, () => ({ headers: { 'Content-Length': '16385' } })],
  'another expectation': [417, () => ({ headers: { Expect: 'the-unexpected' } })],
  'another expectation beside it': [417, () => ({ headers: { Expect: '100-continue, more' } })],
  'no body at all': [422, () => ({ headers: { 'Content-Length': '0' } })],
  'a transfer coding': [400, () => ({ headers: gzipped })],
};

describe('contract: order of checks — Expect', () => {
  const service = withHttpService();

  it('contract: order of checks — 100-Continue gets its 100, and the body is waited for', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send(headOf(service(), { headers: { Expect: '100-Continue' } }));
    const { status, headers, body } = await connection.response();
    expect([status, headers, body]).to.deep.equal([100, {}, '']);
    await connection.send(goodBody);
    expect((await connection.response()).status).to.equal(200);
    await servesOn(service(), connection);
  });

  for (const [name, [expected, asking]] of Object.entries(refused)) {
    it(`contract: order of checks — answered before the body comes, and 100-continue gets no 100: ${name}`, async () => {
      const connection = await RawConnection.open(service().port);
      await connection.send(headOf(service(), asking(service())));
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([expected, 'close']);
    });
  }

  it('contract: order of checks — 100-continue behind another request waits for its turn', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send(Buffer.concat([requestBytes(service()), headOf(service())]));
    expect((await connection.response()).status).to.equal(200);
    expect((await connection.response()).status).to.equal(100);
    await connection.send(goodBody);
    expect((await connection.response()).status).to.equal(200);
  });
});
