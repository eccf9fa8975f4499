import { Capacity, type CapacityLimits, type Overload } from '@campaign-mirror/adapters-http';
import type { Identity } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';

const refusal = [503, '{"message":"Service Unavailable"}', '1'];

describe('contract: order of checks — more requests than the process may carry', () => {
  const data = withHttpService();
  let service: HttpService;
  let told: Overload[];
  /** Requests that have come to the look-up of their key, and wait there. */
  let held: (() => void)[] = [];

  /** Every request with a well-formed key waits until it is let go. */
  function holding(identity: Identity): Identity {
    return {
      claimedBy: async () => undefined,
      whoIs: async (key) => {
        await new Promise<void>((resolve) => held.push(resolve));
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

  async function serving(limits: CapacityLimits): Promise<void> {
    told = [];
    held = [];
    const ports = ({ identity }: { identity: Identity }) => ({ identity: holding(identity) });
    service = await httpService({
      beside: data(),
      ports,
      capacity: new Capacity(limits, (what) => told.push(what)),
    });
  }
  afterEach(async () => {
    letGo();
    await service.stop();
  });

  const open = () => RawConnection.open(service.port);

  /** So many connections with a request that is being carried out. */
  async function busy(number: number): Promise<RawConnection[]> {
    const connections: RawConnection[] = [];
    for (let at = 0; at < number; at++) {
      const connection = await open();
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
    expect([status, body, headers['retry-after']]).to.deep.equal(refusal);
    return headers;
  }

  it('contract: overload — 503 while they are carried out, and service when they are not', async () => {
    await serving({ inFlight: 2 });
    const carried = await busy(2);
    const another = await open();
    // Refused before all that the application looks at.
    const headers = { 'X-Request-Id': 'too-many', Authorization: undefined };
    await another.send(requestBytes(service, { target: '/nowhere', headers }));
    // The same bytes as where the database is away.
    const { date, ...answered } = await expectRefusal(another);
    expect(answered).to.deep.equal({
      ...standing,
      ...keptAlive,
      'retry-after': '1',
      'content-type': json,
      'content-length': String(refusal[1]?.toString().length),
      'x-request-id': 'too-many',
    });
    letGo();
    for (const connection of carried) expect((await connection.response()).status).to.equal(200);
    // On the same connection: the refusal left it open.
    await expectService(another);
  });

  it('contract: overload — a refusal waits for a second from the headers on, and is not carried out meanwhile', async () => {
    const [carried] = await full();
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

  it('contract: overload — a request whose caller has left counts until its outcome is known', async () => {
    const [carried] = await full();
    await carried?.reset();
    const another = await open();
    await another.send(requestBytes(service));
    await expectRefusal(another);
    letGo();
    expect(await service.log.line('busy-0')).to.include({ callerGone: true });
    await expectService(another);
  });

  it('contract: overload — callers whose bodies do not come take no place', async () => {
    await serving({ inFlight: 1 });
    const slow: RawConnection[] = [];
    for (let at = 0; at < 20; at++) {
      const connection = await open();
      const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
      await connection.send(bytes.subarray(0, -5));
      expect((await connection.response()).status).to.equal(100);
      slow.push(connection);
    }
    await expectService(await open());
    // When they come all at once, those beyond the limit are refused all the same.
    const [first, ...others] = slow as [RawConnection, ...RawConnection[]];
    const end = requestBytes(service).subarray(-5);
    await first.send(end);
    await carryingOut(1);
    for (const connection of others) await connection.send(end);
    for (const connection of others) await expectRefusal(connection);
    letGo();
    expect((await first.response()).status).to.equal(200);
  });

  it('contract: overload — connections beyond the limit are closed at once, and one that ends makes room', async () => {
    await serving({ inFlight: 9, connections: 2 });
    const connections = [await open(), await open()] as const;
    const dropped = await open();
    await dropped.closed();
    expect(told).to.deep.equal(['connections']);
    await connections[0].reset();
    for (const connection of [connections[1], await open()]) await expectService(connection);
  });

  it('contract: life — what waits for its refusal when the drain begins gets it', async () => {
    const [carried] = await full();
    const callers = await Promise.all(Array.from({ length: 3 }, open));
    for (const caller of callers) await caller.send(requestBytes(service));
    await refused(3);
    expect(told).to.deep.equal(['requests', 'requests', 'requests']);
    const drained = service.server.drain(600_000);
    for (const caller of callers) {
      expect((await expectRefusal(caller)).connection).to.equal('close');
      expect(await caller.closed()).to.equal('');
    }
    letGo();
    expect((await carried?.response())?.status).to.equal(200);
    expect(await drained).to.have.length(0);
  });
});
