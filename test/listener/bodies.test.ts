import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import {
  type Asking,
  chunkedBytes,
  exchange,
  goodBody,
  requestBytes,
  servesOn,
} from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';

/** Another one than by default. */
const bodyLimit = 20_480;
/** A body in each of the ways in which it can come. */
const framings: Record<string, (service: HttpService, body: string, asking?: Asking) => Buffer> = {
  'by Content-Length': (service, body, asking) => requestBytes(service, { ...asking, body }),
  'in chunks': (service, body, asking) => chunkedBytes(service, [body.slice(0, 20), body.slice(20)], asking),
};

describe('contract: order of checks: a body, however it comes', () => {
  const service = withHttpService({ bodyLimit });
  const history = () => service().world.others.history(service().campaigns.own);

  for (const [framing, bytesOf] of Object.entries(framings)) {
    it(`${framing}: at the limit it sets the mirror, one byte more is 413`, async () => {
      const whole = goodBody.padEnd(bodyLimit);
      expect((await exchange(service(), bytesOf(service(), whole))).status).to.equal(200);
      const before = await history();
      const { status, body } = await exchange(service(), bytesOf(service(), `${whole} `));
      expect([status, body]).to.deep.equal([413, '{"message":"The request body is too large."}']);
      expect(await history()).to.deep.equal(before);
    });

    it(`${framing}: a connection that ends, or is reset, in its middle sets nothing`, async () => {
      const before = await history();
      for (const ending of ['ends', 'reset']) {
        const requestId = `${ending}-${framing}`.replaceAll(' ', '-');
        const headers = { 'X-Request-Id': requestId, Expect: '100-Continue' };
        const whole = bytesOf(service(), goodBody, { headers });
        const head = whole.indexOf('\r\n\r\n') + 4;
        const connection = await RawConnection.open(service().port, whole.subarray(0, head));
        expect((await connection.response()).status).to.equal(100);
        await connection.send(whole.subarray(head, head + 20));
        if (ending === 'reset') await connection.reset();
        else {
          connection.socket.end();
          expect((await connection.response()).status).to.equal(400);
        }
        const { status, callerGone = false } = await service().log.line(requestId);
        expect([status, callerGone]).to.deep.equal([400, ending === 'reset']);
      }
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
  for (const [expected, { headers, ...asking }] of Object.entries(refused))
    it(`${expected} without the body gets no 100, and ends the connection`, async () => {
      const waiting = { Expect: '100-continue', 'Content-Length': String(goodBody.length), ...headers };
      const bytes = requestBytes(service(), { ...asking, headers: waiting, body: undefined });
      const answer = await exchange(service(), bytes);
      expect([answer.status, answer.headers.connection]).to.deep.equal([Number(expected), 'close']);
    });
});

describe('contract: connections: a refusal in the middle of a body leaves the connection usable, or closed', () => {
  const service = withHttpService();
  const large = 'x'.repeat(250_000);
  const early: Record<string, readonly [expected: number, asking: Asking]> = {
    'a body that is too large': [413, {}],
    'another type': [415, { headers: { 'Content-Type': 'text/plain' } }],
    'no key': [401, { headers: { Authorization: undefined } }],
    'another method': [405, { method: 'PUT' }],
    OPTIONS: [204, { method: 'OPTIONS' }],
    'a page': [200, { method: 'GET', target: '/public/v1/openapi.json' }],
    'a Host that is none': [400, { headers: { Host: 'a/b' } }],
    'an Expect that is not met': [417, { headers: { Expect: 'more' } }],
  };
  for (const [framing, bytes] of Object.entries(framings))
    for (const [what, [expected, asking]] of Object.entries(early))
      for (const waits of [false, true])
        it(`${what}, ${framing}${waits ? ', for a caller that waits for its 100' : ''}: ${expected}`, async () => {
          const headers = { ...(waits && { Expect: '100-continue' }), ...asking.headers };
          const whole = bytes(service(), large, { ...asking, headers });
          // As a proxy does that has more to send when it is answered.
          const connection = await RawConnection.open(service().port, whole.subarray(0, 100_000));
          let answer = await connection.response();
          if (answer.status === 100) answer = await connection.response();
          expect(answer.status).to.equal(expected);
          if (answer.headers.connection === 'close') return void (await connection.closed());
          await connection.send(whole.subarray(100_000));
          await servesOn(service(), connection);
        });
});

describe('contract: connections: a refusal that left the body unread', () => {
  const service = withHttpService({
    timeLimits: { headersTimeout: 1_000, requestTimeout: 1_000 },
  });

  it('a caller that writes on and on has its answer, and is cut off', async () => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(2 ** 40) };
    const head = requestBytes(service(), { headers, body: undefined });
    const connection = await RawConnection.open(service().port, head);
    expect((await connection.response()).status).to.equal(415);
    await eventually('the end of the connection', async () => {
      await connection.send('x'.repeat(4096));
      expect(connection.socket.writable).to.equal(false);
    });
    expect(service().log.requests.map((request) => request.status)).not.to.include(408);
  });

  it('after what the parser refuses the caller can read the answer, and is cut off', async () => {
    for (const start of ['garbage', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
      const connection = await RawConnection.open(service().port, `${start}\r\n\r\n`);
      for (let sent = 0; sent < 10; sent++) await connection.send('x'.repeat(1024));
      expect((await connection.response()).status).to.be.oneOf([400, 405]);
    }
    await eventually('no connection', () => expect(service().server.connections).to.equal(0));
  });
});
