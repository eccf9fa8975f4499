import { Capacity, type CapacityLimits, type HttpObserver } from '@campaign-mirror/adapters-http';
import type { Identity } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { refusalDelay } from '../../packages/adapters-http/src/listener/delayed-refusals.ts';
import { eventually } from '../support/eventually.ts';
import { standing } from '../support/http/answer-rows.ts';
import { type SteppedClock, steppedClock } from '../support/http/clock.ts';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';
import { ToldOverload } from '../support/http/told-overload.ts';

const refusal = [503, '{"message":"Service Unavailable"}', '1'];

describe('contract: order of checks — more requests than the process may carry', () => {
  const data = withHttpService();
  let service: HttpService;
  let told: ToldOverload;
  let clock: SteppedClock;
  /** Requests that have come to the look-up of their key, and wait there. */
  let held: (() => void)[] = [];
  let passing = false;
  /** The answers whose callers did not wait for them. */
  let gone: number[] = [];

  /** Every request with a well-formed key waits until it is let go. */
  function holding(identity: Identity): Identity {
    return {
      claimedBy: async () => undefined,
      whoIs: async (key) => {
        if (!passing) await new Promise<void>((resolve) => held.push(resolve));
        return identity.whoIs(key);
      },
    };
  }

  async function carryingOut(number: number): Promise<void> {
    await eventually('requests that are carried out', () => expect(held.length).to.be.at.least(number));
  }

  function letGo(): void {
    for (const resolve of held.splice(0)) resolve();
  }

  /** Those that wait, and all that come. */
  function letAllGo(): void {
    passing = true;
    letGo();
  }

  async function serving(limits: CapacityLimits): Promise<void> {
    told = new ToldOverload();
    held = [];
    passing = false;
    const ports = ({ identity }: { identity: Identity }) => ({ identity: holding(identity) });
    clock = steppedClock();
    const capacity = new Capacity(limits, told, clock);
    gone = [];
    const observer: HttpObserver = {
      answered: (_method, _route, status, _milliseconds, _because, callerGone) => {
        if (callerGone) gone.push(status);
      },
    };
    service = await httpService({ beside: data(), ports, capacity, clock, observer });
  }
  afterEach(async () => {
    letGo();
    await service.stop();
  });

  /** So many connections with a request that is being carried out. */
  async function busy(number: number): Promise<RawConnection[]> {
    const connections: RawConnection[] = [];
    for (let at = 0; at < number; at++) {
      const connection = await RawConnection.open(service.port);
      await connection.send(requestBytes(service, { headers: { 'X-Request-Id': `busy-${at}` } }));
      connections.push(connection);
    }
    await carryingOut(number);
    return connections;
  }

  /** The one place that there is is taken. */
  async function full(): Promise<RawConnection[]> {
    await serving({ inFlight: 1 });
    return busy(1);
  }

  /** So many are one too many, and wait. */
  async function waiting(number: number): Promise<void> {
    await eventually('requests that wait for their refusal', () =>
      expect(service.server.waitingForRefusal).to.equal(number),
    );
  }

  /** They have waited long enough. */
  async function refused(number: number): Promise<void> {
    await waiting(number);
    clock.tick(refusalDelay);
  }

  async function expectRefusal(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    expect([status, body, headers['retry-after']]).to.deep.equal(refusal);
    expect(headers['x-request-id']).to.be.a('string');
    return headers;
  }

  it('contract: order of checks — 503 while they are carried out, and service when they are not', async () => {
    await serving({ inFlight: 2 });
    const carried = await busy(2);
    const another = await RawConnection.open(service.port);
    for (let times = 0; times < 3; times++) {
      await another.send(requestBytes(service, { headers: { 'X-Request-Id': `too-many-${times}` } }));
      await refused(1);
      expect((await expectRefusal(another))['x-request-id']).to.equal(`too-many-${times}`);
    }
    letGo();
    for (const connection of carried) expect((await connection.response()).status).to.equal(200);
    // On the same connection: the refusals left it open.
    await another.send(requestBytes(service));
    await carryingOut(1);
    letGo();
    expect((await another.response()).status).to.equal(200);
  });

  it('contract: answers — overloaded: the same bytes as where the database is away', async () => {
    await full();
    const another = await RawConnection.open(service.port);
    await another.send(requestBytes(service, { headers: { 'X-Request-Id': 'a' } }));
    await refused(1);
    const { date, ...headers } = await expectRefusal(another);
    expect(headers).to.deep.equal({
      ...standing,
      'retry-after': '1',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(refusal[1]?.toString().length),
      'x-request-id': 'a',
      connection: 'keep-alive',
      'keep-alive': 'timeout=75',
    });
  });

  it('contract: order of checks — a refusal waits, so that callers that come back at once are refused once a delay', async () => {
    await full();
    const callers = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(service.port)));
    for (let times = 1; times <= 3; times++) {
      for (const caller of callers) await caller.send(requestBytes(service));
      await waiting(callers.length);
      clock.tick(refusalDelay - 1);
      expect(service.server.waitingForRefusal).to.equal(callers.length);
      clock.tick(1);
      for (const caller of callers) await expectRefusal(caller);
      expect(service.capacity.refusals.get('requests')).to.equal(times * callers.length);
    }
  });

  it('contract: order of checks — of requests that were sent together each gets its refusal, the last no later than the first', async () => {
    await serving({ inFlight: 2 });
    const carried = await busy(2);
    const piping = await RawConnection.open(service.port);
    const named = (id: string) => requestBytes(service, { headers: { 'X-Request-Id': id } });
    await piping.send(Buffer.concat(['first', 'second', 'third'].map(named)));
    await eventually('a line', () => expect(service.capacity.inLine).to.equal(2));
    await refused(1);
    for (const id of ['first', 'second', 'third'])
      expect((await expectRefusal(piping))['x-request-id']).to.equal(id);
    await waiting(0);
    // What comes now waits again.
    await piping.send(named('fourth'));
    await refused(1);
    expect((await expectRefusal(piping))['x-request-id']).to.equal('fourth');
    letGo();
    for (const connection of carried) expect((await connection.response()).status).to.equal(200);
  });

  it('contract: order of checks — one that waits is not carried out, though there is room meanwhile', async () => {
    const [carried] = await full();
    const another = await RawConnection.open(service.port);
    await another.send(requestBytes(service));
    await waiting(1);
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    await refused(1);
    await expectRefusal(another);
    expect(held).to.have.length(0);
  });

  it('contract: order of checks — a caller that leaves waits no more, and is counted as gone', async () => {
    await full();
    const another = await RawConnection.open(service.port);
    await another.send(requestBytes(service));
    await waiting(1);
    await another.reset();
    await waiting(0);
    await eventually('the answer to nobody', () => expect(gone).to.deep.equal([503]));
  });

  it('contract: order of checks — a body that comes while its request waits leaves the connection open', async () => {
    await full();
    const bytes = requestBytes(service);
    const another = await RawConnection.open(service.port);
    await another.send(bytes.subarray(0, -5));
    await waiting(1);
    await another.send(bytes.subarray(-5));
    // What is sent later on another connection is read later.
    const later = await RawConnection.open(service.port);
    await later.send(bytes);
    await refused(2);
    expect((await expectRefusal(another)).connection).to.equal('keep-alive');
    await expectRefusal(later);
  });

  it('contract: order of checks — before all the others: no key, no route, a malformed message', async () => {
    await full();
    for (const asking of [
      { headers: { Authorization: undefined } },
      { target: '/nowhere' },
      { method: 'GET', body: undefined },
      { headers: { Host: undefined } },
    ]) {
      const another = await RawConnection.open(service.port);
      await another.send(requestBytes(service, asking));
      await refused(1);
      await expectRefusal(another);
    }
  });

  it('contract: order of checks — a body that has not come along is not waited for: a bounded rest is read, then the connection closes', async () => {
    await full();
    const bytes = requestBytes(service);
    const expecting = requestBytes(service, { headers: { Expect: '100-continue' } });
    const chunked = chunkedBytes(service, [goodBody]);
    for (const head of [bytes, expecting, chunked]) {
      const another = await RawConnection.open(service.port);
      await another.send(head.subarray(0, head.indexOf('\r\n\r\n') + 4));
      await refused(1);
      expect((await expectRefusal(another)).connection).to.equal('close');
      // It comes after all, and is taken.
      await another.send(head.subarray(head.indexOf('\r\n\r\n') + 4));
      expect(await another.closed()).to.equal('');
      expect(another.error).to.equal(undefined);
    }
  });

  it('contract: order of checks — a message whose end is in doubt leaves no connection open behind it', async () => {
    await full();
    const another = await RawConnection.open(service.port);
    const headers = { 'Transfer-Encoding': 'gzip, chunked', 'Content-Length': undefined };
    await another.send(
      Buffer.concat([requestBytes(service, { headers, body: undefined }), Buffer.from('0\r\n\r\n')]),
    );
    await refused(1);
    expect((await expectRefusal(another)).connection).to.equal('close');
    expect(await another.closed()).to.equal('');
  });

  it('contract: order of checks — a request whose caller has left counts until its outcome is there', async () => {
    const [carried] = await full();
    await carried?.reset();
    const another = await RawConnection.open(service.port);
    await another.send(requestBytes(service));
    await refused(1);
    await expectRefusal(another);
    letGo();
    expect(await service.log.line('busy-0')).to.include({ callerGone: true });
    await another.send(requestBytes(service));
    await carryingOut(1);
    letGo();
    expect((await another.response()).status).to.equal(200);
  });

  it('contract: order of checks — callers whose bodies do not come take no place', async () => {
    await serving({ inFlight: 1 });
    const slow: RawConnection[] = [];
    for (let at = 0; at < 20; at++) {
      const connection = await RawConnection.open(service.port);
      const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
      await connection.send(bytes.subarray(0, -5));
      expect((await connection.response()).status).to.equal(100);
      slow.push(connection);
    }
    const [quick] = await busy(1);
    letGo();
    expect((await quick?.response())?.status).to.equal(200);
    // When they come all at once, those beyond the limit are refused all the same.
    const [first, ...others] = slow as [RawConnection, ...RawConnection[]];
    const end = requestBytes(service).subarray(-5);
    await first.send(end);
    await carryingOut(1);
    for (const connection of others) await connection.send(end);
    await refused(others.length);
    for (const connection of others) await expectRefusal(connection);
    letGo();
    expect((await first.response()).status).to.equal(200);
  });

  it('contract: order of checks — requests behind others of their connection are bounded, and take no place from the rest', async () => {
    await serving({ inFlight: 3 });
    const [piping] = await busy(1);
    await piping?.send(Buffer.concat(Array.from({ length: 6 }, () => requestBytes(service))));
    await told.hears('began pipelined-requests');
    expect(service.capacity.inLine).to.equal(3);
    const other = await RawConnection.open(service.port);
    await other.send(requestBytes(service));
    await carryingOut(2);
    letGo();
    await carryingOut(1);
    expect(service.capacity.inLine).to.equal(2);
    letAllGo();
    expect((await other.response()).status).to.equal(200);
    for (const expected of [200, 200, 200, 200, 503]) {
      expect((await piping?.response())?.status).to.equal(expected);
    }
    expect(await piping?.closed()).to.equal('');
    // All that was counted is given back.
    void other.send(Buffer.concat(Array.from({ length: 4 }, () => requestBytes(service))));
    for (let at = 0; at < 4; at++) expect((await other.response()).status).to.equal(200);
  });

  it('contract: order of checks — a caller that leaves gives back its places in line', async () => {
    await serving({ inFlight: 2 });
    const [piping] = await busy(1);
    await piping?.send(Buffer.concat([requestBytes(service), requestBytes(service)]));
    await eventually('a line', () => expect(service.capacity.inLine).to.equal(2));
    await piping?.reset();
    await eventually('no line', () => expect(service.capacity.inLine).to.equal(0));
    letAllGo();
  });

  it('contract: order of checks — who asks on and on behind a refusal is cut off', async () => {
    const [piping] = await full();
    await piping?.send(Buffer.concat(Array.from({ length: 2 }, () => requestBytes(service))));
    await told.hears('began pipelined-requests');
    const flood = Buffer.concat(Array.from({ length: 100 }, () => requestBytes(service)));
    for (let times = 0; times < 500 && !piping?.socket.destroyed; times++) await piping?.send(flood);
    expect(piping?.socket.destroyed).to.equal(true);
  });

  it('contract: order of checks — connections beyond the limit are closed at once, and one that ends makes room', async () => {
    await serving({ inFlight: 9, connections: 2 });
    const open = [await RawConnection.open(service.port), await RawConnection.open(service.port)];
    const dropped = await RawConnection.open(service.port);
    await dropped.closed();
    await told.hears('began connections');
    await open[0]?.reset();
    passing = true;
    await servesOn(service, open[1] as RawConnection);
    const another = await RawConnection.open(service.port);
    await servesOn(service, another);
  });

  it('contract: life — overload is reported when it begins and when the drain ends it, with a number and no line a request', async () => {
    const carried = await full();
    const another = await RawConnection.open(service.port);
    for (let times = 0; times < 20; times++) {
      await another.send(requestBytes(service));
      await refused(1);
      await expectRefusal(another);
    }
    expect(told.words).to.deep.equal(['began requests']);
    const drained = service.server.drain(600_000);
    letGo();
    const answer = await carried[0]?.response();
    expect([answer?.status, answer?.headers.connection]).to.deep.equal([200, 'close']);
    expect(await another.closed()).to.equal('');
    expect(await drained).to.equal(0);
    expect(told.words).to.deep.equal(['began requests', `ended requests: 20 in ${19 * refusalDelay} ms`]);
    expect(service.log.requests.map((request) => request.status)).to.deep.equal([200]);
  });

  it('contract: life — what waits for its refusal is refused at once when the drain begins', async () => {
    const [carried] = await full();
    const callers = await Promise.all(Array.from({ length: 3 }, () => RawConnection.open(service.port)));
    for (const caller of callers) await caller.send(requestBytes(service));
    await waiting(callers.length);
    const drained = service.server.drain(600_000);
    expect(service.server.waitingForRefusal).to.equal(0);
    for (const caller of callers) {
      expect((await expectRefusal(caller)).connection).to.equal('close');
      expect(await caller.closed()).to.equal('');
    }
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    expect(await drained).to.equal(0);
  });

  it('contract: life — a request that is too many while the drain goes on gets its 503, and its connection closes', async () => {
    const [carried] = await full();
    const another = await RawConnection.open(service.port);
    const bytes = requestBytes(service);
    await another.send(bytes.subarray(0, 20));
    // These bytes are read before the drain begins.
    const third = await RawConnection.open(service.port);
    await third.send(bytes);
    await refused(1);
    await expectRefusal(third);
    const drained = service.server.drain(600_000);
    await another.send(bytes.subarray(20));
    expect((await expectRefusal(another)).connection).to.equal('close');
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    expect(await drained).to.equal(0);
  });
});
