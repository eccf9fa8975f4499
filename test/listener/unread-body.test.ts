import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { steppedClock } from '../support/http/clock.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, chunkedBytes, exchange, goodBody, requestBytes } from '../support/http/request.ts';
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
      const { status, headers, body } = await exchange(service(), bytes);
      expect([status, body]).to.deep.equal([413, '{"message":"The request body is too large."}']);
      expect(headers.connection).to.equal('close');
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

describe('contract: order of checks — a refusal that left the body unread', () => {
  const clock = steppedClock();
  const service = withHttpService({ clock });
  const second = 1_000;

  it('contract: order of checks — the rest is read, then the connection closes, and no reset is seen', async () => {
    const connection = await RawConnection.open(service().port);
    const headers = { Authorization: undefined, 'Content-Length': String(limit) };
    await connection.send(requestBytes(service(), { headers, body: undefined }));
    expect((await connection.response()).status).to.equal(401);
    // In pieces, after the answer: each of them is taken.
    for (let sent = 0; sent < limit; sent += 1024) await connection.send('x'.repeat(1024));
    expect(await connection.closed()).to.equal('');
    expect(connection.error).to.equal(undefined);
  });

  it('contract: order of checks — a caller that writes on and on has the whole answer, and is cut off', async () => {
    for (const chunked of [false, true]) {
      const connection = await RawConnection.open(service().port);
      const framing = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(2 ** 40) };
      const headers = { 'Content-Type': 'text/plain', ...framing };
      await connection.send(requestBytes(service(), { headers, body: undefined }));
      const piece = chunked ? `1000\r\n${'x'.repeat(4096)}\r\n` : 'x'.repeat(4096);
      const writing = eventually('the end of the connection', async () => {
        await connection.send(piece);
        expect(connection.socket.writable).to.equal(false);
      });
      expect((await connection.response()).status).to.equal(415);
      expect(await connection.closed()).to.equal('');
      await writing;
    }
  });

  it('contract: order of checks — of what the parser refuses too the rest is read, and no reset is seen', async () => {
    for (const start of ['garbage', 'POST / HTTP/1.1\r\nHost : a', `GET /${'a'.repeat(17_000)}`]) {
      const connection = await RawConnection.open(service().port);
      await connection.send(`${start}\r\n\r\n`);
      expect((await connection.response()).status).to.be.oneOf([400, 431]);
      for (let sent = 0; sent < 10; sent++) {
        await connection.send('x'.repeat(1024));
        // So that it is read by itself: others are answered meanwhile.
        await ask(service(), { target: '/', body: undefined });
      }
      connection.socket.end();
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
  });

  it('contract: order of checks — who sends more than the limit is cut off at once, who sends nothing after a second', async () => {
    const headers = { Authorization: undefined, 'Content-Length': String(2 ** 40) };
    const head = requestBytes(service(), { headers, body: undefined });
    const [quiet, loud] = [
      await RawConnection.open(service().port),
      await RawConnection.open(service().port),
    ];
    for (const connection of [quiet, loud]) {
      await connection.send(head);
      expect((await connection.response()).status).to.equal(401);
    }
    clock.tick(second - 1);
    await loud.send('x'.repeat(limit + 1));
    expect(await loud.closed()).to.equal('');
    expect(quiet.ended).to.equal(false);
    clock.tick(1);
    expect(await quiet.closed()).to.equal('');
    expect(quiet.error).to.equal(undefined);
  });

  for (const start of ['garbage', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
    it(`contract: order of checks — a caller that never closes its side is cut off after a second: ${start.slice(0, 7)}`, async () => {
      const connection = await RawConnection.open(service().port);
      await connection.send(`${start}\r\n\r\n`);
      await connection.response();
      await eventually('the end', () => expect(connection.ended).to.equal(true));
      clock.tick(second - 1);
      await ask(service(), { target: '/', body: undefined });
      const { server } = service();
      await eventually('that one alone', () => expect(server.connections).to.equal(1));
      clock.tick(1);
      await eventually('no connection', () => expect(server.connections).to.equal(0));
      await connection.reset();
    });
  }

  it('contract: order of checks — a caller whose body is garbage then is let go', async () => {
    const connection = await RawConnection.open(service().port);
    const headers = { Authorization: undefined, 'Transfer-Encoding': 'chunked' };
    await connection.send(requestBytes(service(), { headers, body: undefined }));
    expect((await connection.response()).status).to.equal(401);
    await connection.send('garbage\r\n');
    expect(await connection.closed()).to.equal('');
  });

  it('contract: order of checks — with the whole request in one segment the answer comes all the same', async () => {
    for (let times = 0; times < 10; times++) {
      const connection = await RawConnection.open(service().port);
      const headers = { Authorization: undefined };
      void connection.send(requestBytes(service(), { headers, body: padded(limit) }));
      expect((await connection.response()).status).to.equal(401);
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
  });
});
