import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { Capacity, type CapacityLimits, type Overload } from '@campaign-mirror/adapters-http';
import { accessKeyBytes, accessKeyFrom } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { lockMirror, rival } from '../support/database/rival.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import {
  type Asking,
  ask,
  bodyIsComing,
  heldUp,
  lastBytes,
  requestBytes,
  servesOn,
} from '../support/http/request.ts';
import {
  type HttpService,
  type HttpServiceOptions,
  httpService,
  withHttpService,
} from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';
import { liveCampaign, named } from '../support/store/world.ts';

describe('contract: overload', () => {
  const data = withHttpService();
  let service: HttpService;
  let told: Overload[];
  afterEach(() => {
    mock.timers.reset();
    return service.stop();
  });

  async function serving(limits: CapacityLimits, options: HttpServiceOptions = {}): Promise<void> {
    told = [];
    const capacity = new Capacity(limits, (what) => told.push(what));
    service = await httpService({ ...options, capacity }, data());
  }

  /** The one place that there is is taken. */
  async function full() {
    const bytes = requestBytes(service, { headers: { 'X-Request-Id': 'carried' } });
    const { connections, letGo } = await heldUp(service, bytes);
    return { carried: connections[0] as RawConnection, letGo };
  }

  async function expectRefusal(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    const refusal = [503, '{"message":"Service Unavailable"}', '1'];
    expect([status, body, headers['retry-after']]).to.deep.equal(refusal);
    return headers;
  }

  it('503 while there is no room, before all that the application looks at, and service when there is', async () => {
    await serving({ inFlight: 1 });
    const { carried, letGo } = await full();
    const headers = { 'X-Request-Id': 'too-many', Authorization: undefined };
    const bytes = requestBytes(service, { target: '/nowhere', headers });
    const another = await RawConnection.open(service.port, bytes);
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
    await letGo();
    expect((await carried.response()).status).to.equal(200);
    // On the same connection: the refusal left it open.
    await servesOn(service, another);
  });

  it('a request whose caller has left counts; a refusal waits for a second, and is not carried out meanwhile', async () => {
    await serving({ inFlight: 1 });
    const { carried, letGo } = await full();
    await carried.reset();
    // The second passes at the end.
    mock.timers.enable({ apis: ['setTimeout'] });
    const bytes = requestBytes(service, { headers: { 'X-Request-Id': 'refused' } });
    const another = await RawConnection.open(service.port, bytes);
    await eventually('a refusal', () => expect(told).to.deep.equal(['requests']));
    await letGo();
    expect(await service.log.line('carried')).to.include({ callerGone: true });
    // There is room, and others are served while it waits.
    await eventually('room', () => expect(service.capacity.inFlight).to.equal(0));
    expect((await ask(service)).status).to.equal(200);
    expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('refused');
    mock.timers.tick(1_000);
    await expectRefusal(another);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('refused');
  });

  describe('fairness: half of the places for whoever comes first, an eighth for a caller or a campaign beyond it', () => {
    const inFlight = 64;
    /** The campaigns and the credentials that are not set and not looked up before `letGo`. */
    let held: readonly unknown[];
    let letGo: () => void;
    beforeEach(async () => {
      const { promise: end, resolve } = Promise.withResolvers<void>();
      [held, letGo] = [[], resolve];
      await serving(
        { inFlight },
        {
          proxies: { has: (address) => address === '127.0.0.1' },
          ports: ({ campaigns, identity }) => ({
            campaigns: {
              find: (id) => campaigns.find(id),
              setMirror: async (seen, change) => {
                if (held.includes(seen.id) || held.includes(change.by.ownerId)) await end;
                return campaigns.setMirror(seen, change);
              },
            },
            identity: {
              remembered: (credential) => identity.remembered?.(credential),
              whoIs: async (credential) => {
                if (held.includes(credential)) await end;
                return identity.whoIs(credential);
              },
            },
          }),
        },
      );
    });

    const asking = ({ key, campaign }: { key: string; campaign: number }, from = '127.0.0.1'): Asking => {
      return { campaign, headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': from } };
    };
    /** A campaign with a mirror, and a key of its owner that the service does not know. */
    const stranger = async () => {
      const { key, seen } = await liveCampaign(service.world);
      return { key, campaign: seen.id, owner: seen.ownerId };
    };
    async function expectServed(one: Awaited<ReturnType<typeof stranger>>, from?: string) {
      expect((await ask(service, asking(one, from))).status).to.equal(200);
    }
    /** The same with a key that the service knows. */
    const owner = async () => {
      const known = await stranger();
      await expectServed(known);
      return known;
    };
    const send = (all: readonly Asking[]) =>
      Promise.all(all.map((one) => RawConnection.open(service.port, requestBytes(service, one))));
    const inFlightAre = (count: number, shares: number) =>
      eventually('places that are taken', () => {
        const refused = told.filter((what) => what === 'share').length;
        expect([service.capacity.inFlight, refused]).to.deep.equal([count, shares]);
      });
    async function expectAnswers(connections: readonly RawConnection[], expected: number, count: number) {
      const statuses = await Promise.all(connections.map(async (one) => (await one.response()).status));
      expect(statuses.filter((status) => status === expected)).to.have.length(count);
      expect(statuses.filter((status) => status === 503)).to.have.length(statuses.length - count);
    }

    it('200 calls for one locked mirror, with many keys: others are served meanwhile, and so are those in their turn', async () => {
      const [locked, other] = [await owner(), await owner()];
      const keys = [locked];
      for (let more = 0; more < 9; more++) {
        const { key } = await service.world.accessKeys.issue({ owner: locked.owner, name: named('more') });
        keys.push({ ...locked, key });
        await expectServed({ ...locked, key });
      }
      const holder = await rival(service.database, lockMirror, locked.campaign);
      const calls = Array.from({ length: 200 }, (_, at) => asking(keys[at % keys.length] ?? locked));
      const waiting = await send(calls);
      await inFlightAre(inFlight / 2, 200 - inFlight / 2);
      // One after the other, and together as many as an eighth.
      await expectServed(other);
      await Promise.all(Array.from({ length: 8 }, () => expectServed(other)));
      await holder.commit();
      await expectAnswers(waiting, 200, inFlight / 2);
    });

    it('300 calls of one key, for mirrors that are locked: others are served; another held caller has an eighth', async () => {
      const [greedy, second, other] = [await owner(), await owner(), await owner()];
      held = [greedy.campaign, second.campaign];
      const first = await send(Array.from({ length: 300 }, () => asking(greedy)));
      await inFlightAre(inFlight / 2, 300 - inFlight / 2);
      const more = await send(Array.from({ length: 20 }, () => asking(second)));
      await inFlightAre(inFlight / 2 + inFlight / 8, 300 - inFlight / 2 + 20 - inFlight / 8);
      await expectServed(other);
      letGo();
      await expectAnswers([...first, ...more], 200, inFlight / 2 + inFlight / 8);
    });

    it('200 calls with a key that is not known yet: other strangers of the address are served meanwhile', async () => {
      const [greedy, other] = [await stranger(), await stranger()];
      held = [greedy.key];
      const holder = await rival(service.database, lockMirror, greedy.campaign);
      const first = await send(Array.from({ length: 200 }, () => asking(greedy)));
      await inFlightAre(inFlight / 2, 200 - inFlight / 2);
      await expectServed(other);
      letGo();
      await inFlightAre(inFlight / 2, 200 - inFlight / 2);
      await holder.commit();
      await expectAnswers(first, 200, inFlight / 2);
    });

    it("300 calls for a campaign of somebody else's, which end in 403: its owner is served", async () => {
      const [campaign, other] = [await owner(), await owner()];
      held = [other.owner];
      const foreign = { ...other, campaign: campaign.campaign };
      const calls = await send(Array.from({ length: 300 }, () => asking(foreign)));
      await inFlightAre(inFlight / 2, 300 - inFlight / 2);
      await Promise.all(Array.from({ length: 8 }, () => expectServed(campaign)));
      letGo();
      await expectAnswers(calls, 403, inFlight / 2);
    });

    it('strangers of one address, whose keys take long to look up: known callers, and strangers from elsewhere, are served', async () => {
      const [other, elsewhere] = [await owner(), await stranger()];
      held = Array.from({ length: 100 }, () => accessKeyFrom(randomBytes(accessKeyBytes)));
      const unknown = await send(held.map((key) => asking({ ...other, key: `${key}` }, '203.0.113.9')));
      await inFlightAre(inFlight / 2, 100 - inFlight / 2);
      // For the campaign that they name, too, and from their address.
      await expectServed(other, '203.0.113.9');
      await expectServed(elsewhere, '203.0.113.10');
      letGo();
      await expectAnswers(unknown, 401, inFlight / 2);
    });
  });

  it('callers whose bodies do not come take no place; those beyond the limit are refused when they come', async () => {
    await serving({ inFlight: 1 });
    const slow = [await bodyIsComing(service), await bodyIsComing(service), await bodyIsComing(service)];
    const { carried, letGo } = await full();
    for (const connection of slow) await connection.send(lastBytes);
    for (const connection of slow) await expectRefusal(connection);
    await letGo();
    expect((await carried.response()).status).to.equal(200);
  });

  describe('a network whose refused keys are beyond the limit', () => {
    const wrong = (id: string): Asking => ({
      headers: { Authorization: `Bearer ${service.keys.unknown}`, 'X-Request-Id': id },
    });
    let counted = 0;
    const count = async () => {
      counted += 1;
      return { consumed: 2, resetIn: 9 };
    };
    const limits = { failedKeys: { rate: { limit: 1, seconds: 60 }, count } };

    it('has its 429 after a second, without a place meanwhile; a drain ends the wait', async () => {
      await serving({ inFlight: 1 }, { limits });
      // The second never passes.
      mock.timers.enable({ apis: ['setTimeout'] });
      const held = await RawConnection.open(service.port, requestBytes(service, wrong('held')));
      await eventually('a count', () => expect(counted).to.equal(1));
      // Another one is served meanwhile, in the only place.
      expect((await ask(service)).status).to.equal(200);
      const drained = service.server.drain(600_000);
      const { status, headers } = await held.response();
      expect([status, headers.connection]).to.deep.equal([429, 'close']);
      await drained;
    });

    it('has every refusal of a stranger after a second without a drain; a known caller is not counted', async () => {
      await serving({ inFlight: 9 }, { limits });
      const cases: readonly (readonly [status: number, asking: Asking])[] = [
        [400, { headers: { Authorization: ['Bearer x', 'Bearer x'] } }],
        [401, { headers: { Authorization: undefined } }],
        [404, { target: '/' }],
        [405, { method: 'PUT' }],
        [413, { body: 'x'.repeat(20_000) }],
        [415, { headers: { 'Content-Type': 'text/plain' } }],
        [429, wrong('looked-up')],
        [429, { headers: { Authorization: 'Bearer x' } }],
      ];
      const waits = cases.map(async ([status, asking], at) => {
        const headers = { ...asking.headers, 'X-Request-Id': `held-${at}` };
        expect((await ask(service, { ...asking, headers })).status).to.equal(status);
        const { milliseconds } = await service.log.line(`held-${at}`);
        expect(milliseconds, String(status)).to.be.at.least(990);
      });
      await Promise.all(waits);
      const before = counted;
      expect((await ask(service, { campaign: 9_999 })).status).to.equal(404);
      expect((await ask(service, { body: '{' })).status).to.equal(400);
      expect(counted).to.equal(before);
    });
  });

  const oneIsOpen = () => eventually('room', () => expect(service.server.connections).to.equal(1));

  it('one network may have half of the connections, and a trusted proxy all', async () => {
    const open = () => RawConnection.open(service.port);
    await serving({ inFlight: 9, connections: 4 });
    const two = [await open(), await open()];
    await (await open()).closed();
    expect(told).to.deep.equal(['connections']);
    for (const connection of two) await servesOn(service, connection);
    await two[0]?.reset();
    await oneIsOpen();
    await servesOn(service, await open());
    await service.stop();
    await serving({ inFlight: 9, connections: 4 }, { proxies: { has: () => true } });
    for (let count = 0; count < 4; count++) await servesOn(service, await open());
    await (await open()).closed();
    expect(told).to.deep.equal(['connections']);
  });

  it('503 while each turn of the event loop takes too long, not when they are short again, nor for a single one', async () => {
    await serving({ inFlight: 9, eventLoopDelay: 50 });
    const block = () => {
      for (const end = performance.now() + 200; performance.now() < end; );
    };
    const blocking = setInterval(block);
    await eventually('a refusal', async () => expect((await ask(service)).status).to.equal(503));
    clearInterval(blocking);
    expect(told).to.include('event-loop-delay');
    await eventually('no delay', async () => expect((await ask(service)).status).to.equal(200));
    block();
    expect((await ask(service)).status).to.equal(200);
  });
});
