import { timeLimits } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, exchange, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { httpService, withHttpService } from '../support/http/service.ts';

const limit = 16_384;
/** A good body of exactly so many bytes. */
const padded = (bytes: number) => `${goodBody}${' '.repeat(bytes - goodBody.length)}`;

describe('contract: answers — body over the limit', () => {
  const service = withHttpService();

  it('contract: answers — exactly at the limit, by Content-Length and in chunks, sets the mirror', async () => {
    const whole = padded(limit);
    expect((await exchange(service(), requestBytes(service(), { body: whole }))).status).to.equal(200);
    const halves = [whole.slice(0, 10_000), whole.slice(10_000)];
    expect((await exchange(service(), chunkedBytes(service(), halves))).status).to.equal(200);
    expect((await exchange(service(), chunkedBytes(service(), [...whole]))).status).to.equal(200);
  });

  it('contract: answers — one byte more, by Content-Length and in chunks, is 413', async () => {
    const { campaigns, world } = service();
    const before = await world.others.history(campaigns.own);
    const whole = padded(limit + 1);
    const halves = [whole.slice(0, 10_000), whole.slice(10_000)];
    for (const bytes of [
      requestBytes(service(), { body: whole }),
      chunkedBytes(service(), halves),
      chunkedBytes(service(), [whole]),
    ]) {
      const { status, body } = await exchange(service(), bytes);
      expect([status, body]).to.deep.equal([413, '{"message":"The request body is too large."}']);
    }
    expect(await world.others.history(campaigns.own)).to.deep.equal(before);
  });

  it('contract: answers — a huge Content-Length is 413 before any byte of the body', async () => {
    for (const length of [limit + 1, 2 ** 31, 2 ** 32, 2 ** 32 + 10, 2 ** 40, 2n ** 63n, 2n ** 64n - 1n]) {
      const headers = { 'Content-Length': String(length) };
      const { status } = await exchange(service(), requestBytes(service(), { headers, body: undefined }));
      expect(status).to.equal(413);
    }
  });

  it('contract: answers — the limit is configurable', async () => {
    const small = await httpService({ bodyLimit: goodBody.length, beside: service() });
    try {
      expect((await exchange(small, requestBytes(small))).status).to.equal(200);
      expect((await exchange(small, requestBytes(small, { body: `${goodBody} ` }))).status).to.equal(413);
    } finally {
      await small.stop();
    }
  });
});

describe('contract: connections — a refusal that left the body unread', () => {
  const service = withHttpService({
    timeLimits: { ...timeLimits, headersTimeout: 1_000, requestTimeout: 1_000 },
  });

  it('contract: connections — the rest is read, and the connection serves on', async () => {
    const connection = await RawConnection.open(service().port);
    const headers = { Authorization: undefined, 'Content-Length': String(limit) };
    await connection.send(requestBytes(service(), { headers, body: undefined }));
    expect((await connection.response()).status).to.equal(401);
    // In pieces, after the answer: each of them is taken.
    for (let sent = 0; sent < limit; sent += 1024) await connection.send('x'.repeat(1024));
    await servesOn(service(), connection);
    await connection.reset();
  });

  it('contract: connections — a caller that writes on and on has its answer, and is cut off', async () => {
    const connection = await RawConnection.open(service().port);
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(2 ** 40) };
    await connection.send(requestBytes(service(), { headers, body: undefined }));
    expect((await connection.response()).status).to.equal(415);
    const piece = 'x'.repeat(4096);
    await eventually(
      'the end of the connection',
      async () => {
        await connection.send(piece);
        expect(connection.socket.writable).to.equal(false);
      },
      { within: 10_000 },
    );
    expect(service().log.requests.map(({ status }) => status)).not.to.include(408);
  });

  it('contract: connections — after what the parser refuses the caller can read the answer, and is cut off', async () => {
    for (const start of ['garbage', 'POST / HTTP/1.1\r\nHost : a', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
      const connection = await RawConnection.open(service().port);
      await connection.send(`${start}\r\n\r\n`);
      for (let sent = 0; sent < 10; sent++) await connection.send('x'.repeat(1024));
      expect((await connection.response()).status).to.be.oneOf([400, 405]);
      await eventually('no connection', () => expect(service().server.connections).to.equal(0));
    }
  });
});
