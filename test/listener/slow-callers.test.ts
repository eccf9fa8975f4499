import { Capacity, defaultDeadlines } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { RawConnection } from '../support/http-connection.ts';
import { ask, goodBody, requestBytes, servesOn } from '../support/http-request.ts';
import { withHttpService } from '../support/http-service.ts';
import { rival, untilWaiting } from '../support/rival.ts';

const often = { connectionsCheckingInterval: 5 };
const piece = 5;

/** Sends the bytes one by one, until the service has heard enough. */
async function trickle(connection: RawConnection, bytes: Buffer): Promise<void> {
  const { socket } = connection;
  for (let at = 0; at < bytes.length && !socket.destroyed && socket.writable; at++) {
    await connection.send(bytes.subarray(at, at + 1));
    await new Promise((resolve) => setTimeout(resolve, piece));
  }
}

describe('decisions: answers — slow request: callers that trickle', () => {
  // Less than the bytes of either part take.
  const deadlines = { ...defaultDeadlines, ...often, headersTimeout: 300, bodyTimeout: 100 };
  const service = withHttpService({ deadlines, capacity: new Capacity({ inFlight: 1 }) });

  it('decisions: answers — slow request: any number of them, in headers or body, is 408, and nobody else waits for them', async () => {
    const whole = requestBytes(service(), { body: goodBody + ' '.repeat(200) });
    const body = whole.indexOf('\r\n\r\n') + 4;
    const ends: Promise<void>[] = [];
    for (let at = 0; at < 30; at++) {
      const connection = await RawConnection.open(service().port);
      const begun = at % 2 === 0 ? 0 : body;
      await connection.send(whole.subarray(0, begun));
      ends.push(
        (async () => {
          const sent = trickle(connection, whole.subarray(begun));
          const { status, headers } = await connection.response();
          expect([status, headers.connection]).to.deep.equal([408, 'close']);
          expect(await connection.closed()).to.equal('');
          await sent;
        })(),
      );
    }
    const quick = await RawConnection.open(service().port);
    for (let times = 0; times < 20; times++) await servesOn(service(), quick);
    await quick.reset();
    await Promise.all(ends);
  });

  it('decisions: answers — slow request: a body that stops is 408, and is logged', async () => {
    const connection = await RawConnection.open(service().port);
    const bytes = requestBytes(service(), { headers: { 'X-Request-Id': 'stopped' } });
    await connection.send(bytes.subarray(0, -1));
    expect((await connection.response()).status).to.equal(408);
    expect(await service().log.line('stopped')).to.include({ status: 408, because: 'request-timeout' });
    await connection.closed();
  });
});

describe('decisions: answers — 503: a request that takes too long', () => {
  const deadlines = { ...defaultDeadlines, ...often, headersTimeout: 50, requestTimeout: 50 };
  const service = withHttpService({ deadlines, capacity: new Capacity({ inFlight: 1 }) });

  it('decisions: answers — is 503, keeps its place until its outcome is there, and the connection serves on', async () => {
    const { database, campaigns } = service();
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
    const connection = await RawConnection.open(service().port);
    await connection.send(requestBytes(service(), { headers: { 'X-Request-Id': 'held' } }));
    await untilWaiting(database, new Promise(() => {}));
    const { status, headers, body } = await connection.response();
    expect([status, headers['retry-after'], body]).to.deep.equal([
      503,
      '1',
      '{"message":"Service Unavailable"}',
    ]);
    expect(await service().log.line('held')).to.include({ status: 503, because: 'unavailable' });
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(503);
    await holder.commit();
    // It was carried out after all: an unknown outcome, as the answer said.
    while ((await ask(service(), { campaign: 424242 })).status === 503);
    const history = await service().world.others.history(campaigns.own);
    expect(history.map(({ requestId }) => requestId)).to.deep.equal(['held']);
    await connection.reset();
  });
});

describe('decisions: answers — a caller that never reads', () => {
  const service = withHttpService({ deadlines: { ...defaultDeadlines, ...often, answerTimeout: 50 } });

  it('decisions: answers — its connection is cut, and nobody else waits for it', async () => {
    const { port } = service();
    const [deaf, quick] = [await RawConnection.open(port), await RawConnection.open(port)];
    deaf.socket.pause();
    const cut = new Promise((resolve) => deaf.socket.once('close', resolve));
    // Answers that are longer than what they answer, until the buffers between us hold no more of them.
    const headers = { Authorization: undefined, 'Content-Type': undefined };
    const asked = { target: `/${'"'.repeat(255)}`, method: 'GET', body: undefined, headers };
    const flood = Buffer.concat(Array.from({ length: 50 }, () => requestBytes(service(), asked)));
    while (!deaf.socket.destroyed && deaf.socket.writableLength < 1_000_000) {
      deaf.socket.write(flood);
      await servesOn(service(), quick);
    }
    await cut;
    await servesOn(service(), quick);
    await quick.reset();
  });
});
