import { timeLimits } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, exchange, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

/** Another one than by default. */
const limit = 20_480;
/** A good body of exactly so many bytes. */
const padded = (bytes: number) => `${goodBody}${' '.repeat(bytes - goodBody.length)}`;

describe('contract: answers — body over the limit', () => {
  const service = withHttpService({ bodyLimit: limit });

  it('contract: answers — a body at the limit sets the mirror, one byte more is 413, however it comes', async () => {
    const { campaigns, world } = service();
    const ways = {
      'by Content-Length': (whole: string) => requestBytes(service(), { body: whole }),
      'in one chunk': (whole: string) => chunkedBytes(service(), [whole]),
      'in chunks of a byte': (whole: string) => chunkedBytes(service(), [...whole]),
    };
    for (const [way, bytesOf] of Object.entries(ways)) {
      expect((await exchange(service(), bytesOf(padded(limit)))).status, way).to.equal(200);
      const before = await world.others.history(campaigns.own);
      const { status, body } = await exchange(service(), bytesOf(padded(limit + 1)));
      expect([status, body], way).to.deep.equal([413, '{"message":"The request body is too large."}']);
      expect(await world.others.history(campaigns.own)).to.deep.equal(before);
    }
  });

  it('contract: answers — a huge Content-Length is 413 before any byte of the body', async () => {
    for (const length of [limit + 1, 2 ** 31, 2 ** 32 + 10, 2n ** 64n - 1n]) {
      const headers = { 'Content-Length': String(length) };
      const { status } = await exchange(service(), requestBytes(service(), { headers, body: undefined }));
      expect(status).to.equal(413);
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
