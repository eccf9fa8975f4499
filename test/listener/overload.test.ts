import { Capacity, type CapacityLimits, type Overload } from '@campaign-mirror/adapters-http';
import type { Identity } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';

describe('contract: overload', () => {
  const data = withHttpService();
  let service: HttpService;
  let told: Overload[];
  /** Requests that have come to the look-up of their key, and wait there. */
  let held: (() => void)[] = [];

  async function carryingOut(number: number): Promise<void> {
    await eventually('requests that are carried out', () => expect(held.length).to.be.at.least(number));
  }

  function letGo(): void {
    for (const resolve of held.splice(0)) resolve();
  }

  const open = () => RawConnection.open(service.port);

  /** A service in which every request with a well-formed key waits until it is let go; and so many that wait. */
  async function serving(limits: CapacityLimits, busy: number): Promise<RawConnection[]> {
    told = [];
    held = [];
    const capacity = new Capacity(limits, (what) => told.push(what));
    const holding = ({ identity }: { identity: Identity }): { identity: Identity } => ({
      identity: {
        claimedBy: async () => undefined,
        whoIs: async (key) => {
          await new Promise<void>((resolve) => held.push(resolve));
          return identity.whoIs(key);
        },
      },
    });
    service = await httpService({ beside: data(), ports: holding, capacity });
    const connections: RawConnection[] = [];
    for (let at = 0; at < busy; at++) {
      const connection = await open();
      await connection.send(requestBytes(service, { headers: { 'X-Request-Id': `busy-${at}` } }));
      connections.push(connection);
    }
    await carryingOut(busy);
    return connections;
  }
  afterEach(async () => {
    letGo();
    await service.stop();
  });

  async function refused(number: number): Promise<void> {
    await eventually('refusals', () => expect(service.capacity.refusals.get('requests')).to.equal(number));
  }

  async function expectService(connection: RawConnection): Promise<void> {
    const served = servesOn(service, connection);
    await carryingOut(1);
    letGo();
    await served;
  }

  async function expectRefusal(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    const refusal = [503, '{"message":"Service Unavailable"}', '1'];
    expect([status, body, headers['retry-after']]).to.deep.equal(refusal);
    return headers;
  }

  it('503 while there is no room, before all that the application looks at, and service when there is', async () => {
    const carried = await serving({ inFlight: 2 }, 2);
    const another = await open();
    const headers = { 'X-Request-Id': 'too-many', Authorization: undefined };
    await another.send(requestBytes(service, { target: '/nowhere', headers }));
    // The same bytes as where the database is away.
    const { date, ...answered } = await expectRefusal(another);
    expect(answered).to.deep.equal({
      ...standing,
      ...keptAlive,
      'retry-after': '1',
      'content-type': json,
      'content-length': '33',
      'x-request-id': 'too-many',
    });
    expect(await service.log.line('too-many')).to.include({ overload: true });
    letGo();
    for (const connection of carried) expect((await connection.response()).status).to.equal(200);
    // On the same connection: the refusal left it open.
    await expectService(another);
  });

  it('a refusal waits for a second from the headers on, and is not carried out meanwhile', async () => {
    const [carried] = await serving({ inFlight: 1 }, 1);
    const another = await open();
    await another.send(requestBytes(service));
    await refused(1);
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    // There is room, and others are served while it waits.
    await expectService(await open());
    await expectRefusal(another);
    expect(held).to.have.length(0);
  });

  it('a request whose caller has left counts until its outcome is known', async () => {
    const [carried] = await serving({ inFlight: 1 }, 1);
    await carried?.reset();
    const another = await open();
    await another.send(requestBytes(service));
    await expectRefusal(another);
    letGo();
    expect(await service.log.line('busy-0')).to.include({ callerGone: true });
    await expectService(another);
  });

  it('callers whose bodies do not come take no place', async () => {
    await serving({ inFlight: 1 }, 0);
    const slow: RawConnection[] = [];
    for (let at = 0; at < 5; at++) {
      const connection = await open();
      const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
      await connection.send(bytes.subarray(0, -5));
      expect((await connection.response()).status).to.equal(100);
      slow.push(connection);
    }
    await expectService(await open());
    // When they come all at once, those beyond the limit are refused all the same.
    const [first, ...others] = slow;
    const end = requestBytes(service).subarray(-5);
    await first?.send(end);
    await carryingOut(1);
    for (const connection of others) await connection.send(end);
    for (const connection of others) await expectRefusal(connection);
    letGo();
    expect((await first?.response())?.status).to.equal(200);
  });

  it('connections beyond the limit are closed at once, and one that ends makes room', async () => {
    await serving({ inFlight: 9, connections: 2 }, 0);
    const [first, second] = [await open(), await open()];
    await (await open()).closed();
    expect(told).to.deep.equal(['connections']);
    await first.reset();
    for (const connection of [second, await open()]) await expectService(connection);
  });

  it('what waits for its refusal when the drain begins gets it', async () => {
    const [carried] = await serving({ inFlight: 1 }, 1);
    const callers = [await open(), await open()];
    for (const caller of callers) await caller.send(requestBytes(service));
    await refused(2);
    expect(told).to.deep.equal(['requests', 'requests']);
    const drained = service.server.drain(600_000);
    for (const caller of callers) {
      expect((await expectRefusal(caller)).connection).to.equal('close');
      expect(await caller.closed()).to.equal('');
    }
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    expect(await drained).to.have.length(0);
  });

  it('503 while each turn of the event loop takes too long, not when they are short again, nor for a single one', async () => {
    const capacity = new Capacity({ inFlight: 9, eventLoopDelay: 50 });
    service = await httpService({ beside: data(), capacity });
    const block = () => {
      for (const end = performance.now() + 200; performance.now() < end; );
    };
    const blocking = setInterval(block);
    await eventually('a refusal', async () => expect((await ask(service)).status).to.equal(503));
    clearInterval(blocking);
    expect(capacity.refusals.get('event-loop-delay')).to.be.at.least(1);
    await eventually('no delay', async () => expect((await ask(service)).status).to.equal(200));
    block();
    expect((await ask(service)).status).to.equal(200);
  });
});
