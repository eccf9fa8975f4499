import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import * as requests from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';

type Asking = requests.Asking;
const { chunkedBytes, exchange, goodBody, requestBytes, servesOn } = requests;
const framings: Record<string, (service: HttpService, body: string, asking?: Asking) => Buffer> = {
  'by Content-Length': (service, body, asking) => requestBytes(service, { ...asking, body }),
  'in chunks': (service, body, asking) => chunkedBytes(service, [body.slice(0, 20), body.slice(20)], asking),
};

describe('contract: order of checks: only a whole body within the limit sets the mirror', () => {
  const bodyLimit = 20_480;
  const service = withHttpService({ bodyLimit });
  const history = () => service().world.others.history(service().campaigns.own);

  for (const [framing, bytesOf] of Object.entries(framings)) {
    it(`a body ${framing} at the limit sets the mirror, and one more byte is 413`, async () => {
      const whole = goodBody.padEnd(bodyLimit);
      expect((await exchange(service(), bytesOf(service(), whole))).status).to.equal(200);
      const before = await history();
      const { status, body } = await exchange(service(), bytesOf(service(), `${whole} `));
      expect([status, body]).to.deep.equal([413, '{"message":"The request body is too large."}']);
      expect(await history()).to.deep.equal(before);
    });

    for (const ending of ['closed', 'reset'] as const)
      it(`a body ${framing} sets nothing if its connection is ${ending} in the middle`, async () => {
        const before = await history();
        const requestId = `${ending}-${framing}`.replaceAll(' ', '-');
        const headers = { 'X-Request-Id': requestId, Expect: '100-Continue' };
        const whole = bytesOf(service(), goodBody, { headers });
        const head = whole.indexOf('\r\n\r\n') + 4;
        const connection = await RawConnection.open(service().port, whole.subarray(0, head));
        expect((await connection.response()).status).to.equal(100);
        await connection.send(whole.subarray(head, head + 20));
        if (ending === 'reset') await connection.reset();
        else connection.socket.end();
        const { status, callerGone = false } = await service().log.line(requestId);
        expect([status, callerGone]).to.deep.equal([400, ending === 'reset']);
        expect(await history()).to.deep.equal(before);
      });
  }

  const refused: Record<number, Asking> = {
    400: { headers: { 'Transfer-Encoding': 'gzip, chunked', 'Content-Length': undefined } },
    401: { headers: { Authorization: undefined } },
    413: { headers: { 'Content-Length': String(2n ** 64n - 1n) } },
    417: { headers: { Expect: '100-continue, more' } },
    422: { headers: { 'Content-Length': '0' } },
  };
  for (const [expected, asking] of Object.entries(refused))
    it(`${expected} without the body gets no 100, and closes the connection`, async () => {
      const waiting = {
        Expect: '100-continue',
        'Content-Length': String(goodBody.length),
        ...asking.headers,
      };
      const bytes = requestBytes(service(), { headers: waiting, body: undefined });
      const { status, headers } = await exchange(service(), bytes);
      expect([status, headers.connection]).to.deep.equal([Number(expected), 'close']);
    });
});

describe('contract: connections: after a refusal in the middle of a body, the connection serves on or closes', () => {
  const service = withHttpService();
  const early: Record<string, readonly [expected: number, asking: Asking]> = {
    'a body over the limit': [413, {}],
    'another content type': [415, { headers: { 'Content-Type': 'text/plain' } }],
    'no key': [401, { headers: { Authorization: undefined } }],
    'another method': [405, { method: 'PUT' }],
    OPTIONS: [204, { method: 'OPTIONS' }],
    'a malformed Host': [400, { headers: { Host: 'a/b' } }],
  };
  for (const [framing, bytesOf] of Object.entries(framings))
    for (const [what, [expected, asking]] of Object.entries(early))
      it(`${what}, ${framing}: ${expected}`, async () => {
        const whole = bytesOf(service(), 'x'.repeat(250_000), asking);
        // A proxy also has more to send when the answer arrives.
        const connection = await RawConnection.open(service().port, whole.subarray(0, 100_000));
        const answer = await connection.response();
        expect(answer.status).to.equal(expected);
        if (answer.headers.connection === 'close') return void (await connection.closed());
        await connection.send(whole.subarray(100_000));
        await servesOn(service(), connection);
      });
});

describe('contract: connections: a caller that goes on sending after its answer is cut off', () => {
  const service = withHttpService({ timeLimits: { headersTimeout: 1_000, requestTimeout: 1_000 } });

  it('a refused caller that sends its body without end gets its answer first', async () => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(2 ** 40) };
    const head = requestBytes(service(), { headers, body: undefined });
    const connection = await RawConnection.open(service().port, head);
    expect((await connection.response()).status).to.equal(415);
    await eventually('the end of the connection', async () => {
      await connection.send('x'.repeat(4096));
      expect(connection.socket.writable).to.equal(false);
    });
  });

  it('a caller that sends on after garbage, or after CONNECT, can read its answer', async () => {
    for (const start of ['garbage', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
      const connection = await RawConnection.open(service().port, `${start}\r\n\r\n`);
      for (let sent = 0; sent < 10; sent++) await connection.send('x'.repeat(1024));
      expect((await connection.response()).status).to.be.oneOf([400, 405]);
    }
    await eventually('no connection', () => expect(service().server.connections).to.equal(0));
  });
});
