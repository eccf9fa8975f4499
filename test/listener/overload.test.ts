import { mock } from 'node:test';
import { type Overload, Slots } from '@campaign-mirror/adapters-http';
import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
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

  async function serving(size: number, options: HttpServiceOptions = {}): Promise<void> {
    told = [];
    const slots = new Slots(size, (what) => told.push(what));
    const connectionRefused = () => told.push('connections');
    service = await httpService({ ...options, slots, connectionRefused }, data());
  }

  /** A request has the only slot. */
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
    await serving(1);
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
    await serving(1);
    const { carried, letGo } = await full();
    await carried.reset();
    const bytes = requestBytes(service, { headers: { 'X-Request-Id': 'refused' } });
    const another = await RawConnection.open(service.port, bytes);
    await eventually('a refusal', () => expect(told).to.deep.equal(['requests']));
    await letGo();
    expect(await service.log.line('carried')).to.include({ callerGone: true });
    // There is room, and others are served while it waits.
    await eventually('room', () => expect(service.slots.used).to.equal(0));
    expect((await ask(service)).status).to.equal(200);
    await expectRefusal(another);
    expect((await service.log.line('refused')).milliseconds).to.be.at.least(990);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('refused');
  });

  describe('fairness: beyond half of the slots, an owner has at most an eighth', () => {
    const size = 64;
    /** A campaign with a mirror, and a key of its owner. */
    const owner = async () => {
      const { key, seen } = await liveCampaign(service.world);
      return { key, campaign: seen.id, owner: seen.ownerId };
    };
    type Owner = Awaited<ReturnType<typeof owner>>;
    const asking = ({ key, campaign }: Omit<Owner, 'owner'>): Asking => {
      return { campaign, headers: { Authorization: `Bearer ${key}` } };
    };
    async function expectServed(one: Owner) {
      expect((await ask(service, asking(one))).status).to.equal(200);
    }
    /** How many calls came to the repository: those have their slots. */
    let carried = 0;
    let letGo = () => {};
    /** Serves; the calls that `isHeld` says end when they are let go. */
    async function servingShares(isHeld: (campaign: CampaignId, caller: OwnerId) => boolean) {
      const { promise: end, resolve } = Promise.withResolvers<void>();
      letGo = resolve;
      carried = 0;
      const ports: HttpServiceOptions['ports'] = ({ campaigns }) => ({
        campaigns: {
          find: (id) => campaigns.find(id),
          setMirror: async (seen, change) => {
            carried += 1;
            if (isHeld(seen.id, change.by.ownerId)) await end;
            return campaigns.setMirror(seen, change);
          },
        },
      });
      await serving(size, { ports });
    }
    /**
     * Half as many at once as there are slots: more could use all of them before their owner is known. `most` have slots,
     * the others are refused.
     */
    async function send(calls: readonly Asking[], most = size / 2): Promise<RawConnection[]> {
      const connections: RawConnection[] = [];
      const [before, refused] = [carried, told.length];
      for (let at = 0; at < calls.length; at += size / 2) {
        const wave = calls.slice(at, at + size / 2).map((one) => requestBytes(service, one));
        const open = (bytes: Buffer) => RawConnection.open(service.port, bytes);
        connections.push(...(await Promise.all(wave.map(open))));
        const beyond = Math.max(0, connections.length - most);
        await eventually('slots and refusals', () =>
          expect([carried, told.length]).to.deep.equal([
            before + connections.length - beyond,
            refused + beyond,
          ]),
        );
      }
      expect(new Set(told)).to.deep.equal(new Set(['share']));
      return connections;
    }
    async function expectAnswers(connections: readonly RawConnection[], expected: number, count: number) {
      const statuses = await Promise.all(connections.map(async (one) => (await one.response()).status));
      expect(statuses.filter((status) => status === expected)).to.have.length(count);
      expect(statuses.filter((status) => status === 503)).to.have.length(statuses.length - count);
    }

    it('600 calls of an owner with many keys, for one locked mirror: other owners are served meanwhile', async () => {
      await servingShares(() => false);
      const [locked, other] = [await owner(), await owner()];
      const keys = [locked.key];
      for (let more = 0; more < 9; more++) {
        const { key } = await service.world.accessKeys.issue({ owner: locked.owner, name: named('more') });
        keys.push(key);
      }
      const holder = await rival(service.database, lockMirror, locked.campaign);
      const key = (at: number) => keys[at % keys.length] ?? locked.key;
      const calls = Array.from({ length: 600 }, (_, at) => asking({ ...locked, key: key(at) }));
      const waiting = await send(calls);
      // One after the other, and together as many as an eighth.
      await expectServed(other);
      await Promise.all(Array.from({ length: 8 }, () => expectServed(other)));
      await holder.commit();
      await expectAnswers(waiting, 200, size / 2);
    });

    it('calls for several mirrors that are held up: a second owner has an eighth, and a third one is served', async () => {
      const held: CampaignId[] = [];
      await servingShares((campaign) => held.includes(campaign));
      const [greedy, second, other] = [await owner(), await owner(), await owner()];
      held.push(greedy.campaign, second.campaign);
      const first = await send(Array.from({ length: 50 }, () => asking(greedy)));
      const callsOfSecond = Array.from({ length: 20 }, () => asking(second));
      const more = await send(callsOfSecond, size / 8);
      await expectServed(other);
      letGo();
      await expectAnswers([...first, ...more], 200, size / 2 + size / 8);
    });

    it("calls for a campaign of somebody else's, which end in 403: its owner is served", async () => {
      let foreign: OwnerId | undefined;
      await servingShares((_, caller) => caller === foreign);
      const [one, other] = [await owner(), await owner()];
      foreign = other.owner;
      const asked = asking({ ...other, campaign: one.campaign });
      const calls = await send(Array.from({ length: 50 }, () => asked));
      await Promise.all(Array.from({ length: 8 }, () => expectServed(one)));
      letGo();
      await expectAnswers(calls, 403, size / 2);
    });
  });

  it('eight refusals wait for each slot; those beyond them are answered at once', async () => {
    await serving(1);
    const { carried, letGo } = await full();
    // Only for the waits: the second passes at once.
    mock.timers.enable({ apis: ['setTimeout'] });
    const refused = (id: string) =>
      RawConnection.open(service.port, requestBytes(service, { headers: { 'X-Request-Id': id } }));
    const waiting = await Promise.all(Array.from({ length: 8 }, () => refused('waiting')));
    await eventually('refusals', () => expect(told).to.have.length(8));
    for (const id of ['beyond', 'beyond-too']) await expectRefusal(await refused(id));
    expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('waiting');
    mock.timers.tick(1_000);
    mock.timers.reset();
    for (const connection of waiting) await expectRefusal(connection);
    await letGo();
    expect((await carried.response()).status).to.equal(200);
  });

  it('callers whose bodies do not come take no slot; those beyond the limit are refused when they come', async () => {
    await serving(1);
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

    it('has its 429 after a second, without a slot meanwhile; a drain ends the wait', async () => {
      await serving(1, { limits });
      // Only for the wait, whose second never passes: timers of the database that are cleared meanwhile would stay.
      mock.timers.enable({ apis: ['setTimeout'] });
      const malformed = { headers: { Authorization: 'Bearer x', 'X-Request-Id': 'held' } };
      const held = await RawConnection.open(service.port, requestBytes(service, malformed));
      await eventually('a count', () => expect(counted).to.equal(1));
      mock.timers.reset();
      // Another one is served meanwhile, in the only slot.
      expect((await ask(service)).status).to.equal(200);
      expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('held');
      const drained = service.server.drain(600_000);
      const { status, headers } = await held.response();
      expect([status, headers.connection]).to.deep.equal([429, 'close']);
      await drained;
    });

    it('has every refusal of a stranger after a second without a drain; a known caller is not counted', async () => {
      await serving(9, { limits });
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

  it('a connection beyond the limit is closed at once, and room that is left is used again', async () => {
    const open = () => RawConnection.open(service.port);
    await serving(9, { maxConnections: 2 });
    const two = [await open(), await open()];
    for (const connection of two) await servesOn(service, connection);
    await (await open()).closed();
    expect(told).to.deep.equal(['connections']);
    for (const connection of two) await servesOn(service, connection);
    await two[0]?.reset();
    await eventually('room', () => expect(service.server.connections).to.equal(1));
    await servesOn(service, await open());
  });
});
