import { mock } from 'node:test';
import { type Overload, Slots } from '@campaign-mirror/adapters-http';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import * as requests from '../support/http/request.ts';
import * as services from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';
import { liveCampaign, named } from '../support/store/world.ts';

type Asking = requests.Asking;
const { ask, requestBytes, servesOn } = requests;

describe('contract: overload: a process without a free slot refuses requests, and goes on serving', () => {
  const data = services.withHttpService();
  let service: services.HttpService;
  let refusals: Overload[];
  afterEach(() => {
    mock.timers.reset();
    return service.stop();
  });

  async function serving(size: number, options: services.HttpServiceOptions = {}): Promise<void> {
    refusals = [];
    const slots = new Slots(size, (what) => refusals.push(what));
    const connectionRefused = () => refusals.push('connections');
    service = await services.httpService({ ...options, slots, connectionRefused }, data());
  }
  const open = (asking: Asking) => RawConnection.open(service.port, requestBytes(service, asking));
  const withId = (id: string): Asking => ({ headers: { 'X-Request-Id': id } });

  /** Starts a service with one slot, which a request uses until `letGo` is called. */
  async function full() {
    await serving(1);
    const { connections, letGo } = await requests.heldUp(service, requestBytes(service, withId('executed')));
    return { executed: connections[0] as RawConnection, letGo };
  }

  async function expectRefusal(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    expect([status, body]).to.deep.equal([503, '{"message":"Service Unavailable"}']);
    const { date, 'x-request-id': _, ...others } = headers;
    const length = { 'content-type': json, 'content-length': '33' };
    expect(others).to.deep.equal({ ...standing, ...keptAlive, 'retry-after': '1', ...length });
  }

  it('a request without a slot is 503 before every other check, and its connection serves on', async () => {
    const { executed, letGo } = await full();
    const headers = { 'X-Request-Id': 'refused', Authorization: undefined };
    const refused = await open({ target: '/nowhere', headers });
    await expectRefusal(refused);
    expect(await service.log.line('refused')).to.include({ overload: true });
    await letGo();
    expect((await executed.response()).status).to.equal(200);
    await servesOn(service, refused);
  });

  it('a request keeps its slot when its caller leaves; a refused one waits a second, and is not executed', async () => {
    const { executed, letGo } = await full();
    await executed.reset();
    const refused = await open(withId('refused'));
    await eventually('a refusal', () => expect(refusals).to.deep.equal(['requests']));
    await letGo();
    expect(await service.log.line('executed')).to.include({ callerGone: true });
    await eventually('a free slot', () => expect(service.slots.used).to.equal(0));
    expect((await ask(service)).status).to.equal(200);
    await expectRefusal(refused);
    expect((await service.log.line('refused')).milliseconds).to.be.at.least(990);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('refused');
  });

  it('eight refusals wait for each slot, and others are answered at once', async () => {
    const { executed, letGo } = await full();
    // The second passes when the test says so.
    mock.timers.enable({ apis: ['setTimeout'] });
    const waiting = await Promise.all(Array.from({ length: 8 }, () => open(withId('waiting'))));
    await eventually('refusals', () => expect(refusals).to.have.length(8));
    for (const id of ['ninth', 'tenth']) await expectRefusal(await open(withId(id)));
    expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('waiting');
    mock.timers.tick(1_000);
    mock.timers.reset();
    for (const connection of waiting) await expectRefusal(connection);
    await letGo();
    expect((await executed.response()).status).to.equal(200);
  });

  it('a request takes a slot only with the last byte of its body', async () => {
    await serving(1);
    const slow = [await requests.bodyIsComing(service), await requests.bodyIsComing(service)];
    const { connections, letGo } = await requests.heldUp(service, requestBytes(service));
    for (const connection of slow) await connection.send(requests.lastBytes);
    for (const connection of slow) await expectRefusal(connection);
    await letGo();
    expect((await connections[0]?.response())?.status).to.equal(200);
  });

  it('a connection beyond the limit is closed at once, and a free one is used again', async () => {
    await serving(9, { maxConnections: 2 });
    const connect = () => RawConnection.open(service.port);
    const two = [await connect(), await connect()];
    for (const connection of two) await servesOn(service, connection);
    await (await connect()).closed();
    expect(refusals).to.deep.equal(['connections']);
    for (const connection of two) await servesOn(service, connection);
    await two[0]?.reset();
    await eventually('a free connection', () => expect(service.server.connections).to.equal(1));
    await servesOn(service, await connect());
  });

  it('while more than half of the slots are in use, an owner has at most an eighth; others are served', async () => {
    const size = 64;
    const held = new Set<CampaignId>();
    const { promise: end, resolve: letGo } = Promise.withResolvers<void>();
    await serving(size, {
      ports: ({ campaigns }) => ({
        campaigns: {
          find: (id) => campaigns.find(id),
          setMirror: async (seen, change) => {
            if (held.has(seen.id)) await end;
            return campaigns.setMirror(seen, change);
          },
        },
      }),
    });
    const { world, campaigns } = service;
    const asking = (key: string, campaign: CampaignId): Asking => {
      return { campaign, headers: { Authorization: `Bearer ${key}` } };
    };
    /** Sends calls until `slots` of them have a slot and the others are refused. */
    async function send(slots: number, ...calls: readonly Asking[]): Promise<RawConnection[]> {
      const connections: RawConnection[] = [];
      const [used, refused] = [service.slots.used, refusals.length];
      // More at once could use all slots before their owner is known.
      for (let at = 0; at < calls.length; at += size / 2) {
        connections.push(...(await Promise.all(calls.slice(at, at + size / 2).map(open))));
        const beyond = Math.max(0, connections.length - slots);
        const expected = [used + connections.length - beyond, refused + beyond];
        await eventually('slots and refusals', () =>
          expect([service.slots.used, refusals.length]).to.deep.equal(expected),
        );
      }
      return connections;
    }
    async function expectAnswers(connections: readonly RawConnection[], expected: number, count: number) {
      const statuses = await Promise.all(connections.map(async (one) => (await one.response()).status));
      expect(statuses.filter((status) => status === expected)).to.have.length(count);
      expect(statuses.filter((status) => status === 503)).to.have.length(statuses.length - count);
    }

    const greedy = await liveCampaign(world);
    const [stranger, other] = [await liveCampaign(world), await liveCampaign(world)];
    const next = await world.accessKeys.issue({ owner: greedy.seen.ownerId, name: named('more') });
    held.add(greedy.seen.id).add(campaigns.foreign);
    const own = Array.from({ length: 300 }, (_, at) =>
      asking(at % 2 ? greedy.key : next.key, greedy.seen.id),
    );
    const ofOwner = await send(size / 2, ...own);
    const foreign = Array.from({ length: 20 }, () => asking(stranger.key, campaigns.foreign));
    const ofStranger = await send(size / 8, ...foreign);
    expect(new Set(refusals)).to.deep.equal(new Set(['share']));
    const calls = Array.from({ length: 8 }, () => ask(service, asking(other.key, other.seen.id)));
    for (const { status } of await Promise.all(calls)) expect(status).to.equal(200);
    letGo();
    await expectAnswers(ofOwner, 200, size / 2);
    await expectAnswers(ofStranger, 403, size / 8);
  });

  describe('contract: limits: a network beyond FAILED_KEY_LIMIT waits a second for each refusal', () => {
    let counted = 0;
    const count = async () => {
      counted += 1;
      return { consumed: 2, resetIn: 9 };
    };
    const limits = { failedKeys: { rate: { limit: 1, seconds: 60 }, count } };
    const wrongKey = { Authorization: 'Bearer x' };

    it('a waiting refusal has no slot, and a drain ends the wait', async () => {
      await serving(1, { limits });
      // The second never passes.
      mock.timers.enable({ apis: ['setTimeout'] });
      const waiting = await open({ headers: { ...wrongKey, 'X-Request-Id': 'waiting' } });
      await eventually('a count', () => expect(counted).to.equal(1));
      mock.timers.reset();
      expect((await ask(service)).status).to.equal(200);
      expect(service.log.requests.map(({ requestId }) => requestId)).not.to.include('waiting');
      const drained = service.server.drain(600_000);
      const { status, headers } = await waiting.response();
      expect([status, headers.connection]).to.deep.equal([429, 'close']);
      await drained;
    });

    it('every refusal before the key is checked waits, and a valid key is not counted', async () => {
      await serving(9, { limits });
      const cases: readonly (readonly [status: number, asking: Asking])[] = [
        [400, { headers: { Authorization: ['Bearer x', 'Bearer x'] } }],
        [401, { headers: { Authorization: undefined } }],
        [404, { target: '/' }],
        [405, { method: 'PUT' }],
        [413, { body: 'x'.repeat(20_000) }],
        [415, { headers: { 'Content-Type': 'text/plain' } }],
        [429, { headers: { Authorization: `Bearer ${service.keys.unknown}` } }],
        [429, { headers: wrongKey }],
      ];
      const waits = cases.map(async ([status, asking], at) => {
        const headers = { ...asking.headers, 'X-Request-Id': `waiting-${at}` };
        expect((await ask(service, { ...asking, headers })).status).to.equal(status);
        const { milliseconds } = await service.log.line(`waiting-${at}`);
        expect(milliseconds, String(status)).to.be.at.least(990);
      });
      await Promise.all(waits);
      const before = counted;
      expect((await ask(service, { campaign: 9_999 })).status).to.equal(404);
      expect((await ask(service, { body: '{' })).status).to.equal(400);
      expect(counted).to.equal(before);
    });
  });
});
