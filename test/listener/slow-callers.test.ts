import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Capacity, defaultDeadlines } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { refusalDelay } from '../../packages/adapters-http/src/listener/delayed-refusals.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';
import { steppedClock } from '../support/http/clock.ts';
import { RawConnection } from '../support/http/connection.ts';
import { largeReply, unreadAnswer, withHttpListener } from '../support/http/listener.ts';
import { ask, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const { bodyTimeout, requestTimeout, answerTimeout, connectionsCheckingInterval } = defaultDeadlines;

describe('contract: answers — slow request, by the deadlines of our own', () => {
  const clock = steppedClock();
  const service = withHttpService({ clock, capacity: new Capacity({ inFlight: 1 }) });

  it('contract: answers — slow request: any number of bodies that trickle in is 408, and nobody else waits for them', async () => {
    const { port, log } = service();
    const headers = { Expect: '100-continue' };
    const bytes = requestBytes(service(), { headers, body: goodBody.padEnd(200) });
    const begun = async (missing: number) => {
      const connection = await RawConnection.open(port);
      await connection.send(bytes.subarray(0, -missing));
      expect((await connection.response()).status).to.equal(100);
      return connection;
    };
    const slow: RawConnection[] = [];
    for (let at = 0; at < 15; at++) slow.push(await begun(100));
    const [quick, inTime] = [await RawConnection.open(port), await begun(1)];
    for (let seconds = 0; seconds < bodyTimeout / 1_000; seconds++) {
      for (const connection of slow) await connection.send(' ');
      await servesOn(service(), quick);
      clock.tick(1_000);
    }
    await inTime.send(bytes.subarray(-1));
    expect((await inTime.response()).status).to.equal(200);
    clock.tick(connectionsCheckingInterval);
    for (const connection of slow) {
      const { status, headers: told } = await connection.response();
      expect([status, told.connection]).to.deep.equal([408, 'close']);
      expect(await log.line(String(told['x-request-id']))).to.include({ because: 'request-timeout' });
      connection.socket.end();
      expect(await connection.closed()).to.equal('');
    }
  });

  it('contract: answers — 503: a request that takes too long keeps its place until its outcome is there, and the connection serves on', async () => {
    const { database, campaigns, log, capacity } = service();
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
    const connection = await RawConnection.open(service().port);
    await connection.send(requestBytes(service(), { headers: { 'X-Request-Id': 'held' } }));
    await untilWaiting(database, new Promise(() => {}));
    clock.tick(requestTimeout);
    expect(log.requests.map(({ requestId }) => requestId)).not.to.include('held');
    clock.tick(connectionsCheckingInterval);
    const { status, headers, body } = await connection.response();
    const unavailable = [503, '1', '{"message":"Service Unavailable"}'];
    expect([status, headers['retry-after'], body]).to.deep.equal(unavailable);
    expect(await log.line('held')).to.include({ status: 503, because: 'unavailable' });
    const refused = ask(service(), { campaign: 424242 });
    await eventually('a refusal', () => expect(service().server.waitingForRefusal).to.equal(1));
    clock.tick(refusalDelay);
    expect((await refused).status).to.equal(503);
    await holder.commit();
    await eventually('the outcome', () => expect(capacity.inFlight).to.equal(0));
    // It was carried out after all: an unknown outcome, as the answer said.
    const history = await service().world.others.history(campaigns.own);
    expect(history.at(-1)?.requestId).to.equal('held');
    await servesOn(service(), connection);
  });
});

describe('contract: answers — a caller that does not read its answer', () => {
  let findingTook = 0;
  const listener = withHttpListener(async (exchange) => {
    // By the end of the turn the request is complete.
    await nextTurn();
    listener().clock.tick(findingTook);
    exchange.answer(largeReply);
  });

  it('contract: answers — has its time from the answer on, however long that took', async () => {
    findingTook = requestTimeout;
    const response = await unreadAnswer(listener());
    listener().clock.tick(answerTimeout);
    expect(await buffer(response)).to.have.lengthOf(largeReply.body.length);
  });

  it('contract: answers — then its connection is cut', async () => {
    findingTook = 0;
    const response = await unreadAnswer(listener());
    listener().clock.tick(answerTimeout + connectionsCheckingInterval);
    expect(await rejection(buffer(response))).to.have.property('code', 'ECONNRESET');
  });
});
