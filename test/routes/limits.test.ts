import { mock } from 'node:test';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { limiterOf } from '../../packages/app/src/http/callers.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import type { RawResponse } from '../support/http/connection.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { named } from '../support/store/world.ts';

/** Counts each by itself in a window that never ends. */
const countsTo = (limit: number) => ({
  rate: { limit, seconds: 60 },
  asked: [] as string[],
  fault: undefined as Error | undefined,
  /** What the window still lasts, in milliseconds. */
  resetIn: 29_001,
  async count(who: string) {
    if (this.fault) throw this.fault;
    this.asked.push(who);
    return { consumed: this.asked.filter((one) => one === who).length, resetIn: this.resetIn };
  },
});

const limitHeaders = ({ headers }: RawResponse) =>
  Object.keys(headers).filter((name) => name.includes('ratelimit')).length;

/** The whole answer to the last call that may pass, or to one more. */
function expectCounted({ status, headers, body }: RawResponse, expected: number, limit: number) {
  const { date: _, 'x-request-id': __, 'x-ratelimit-reset': reset, etag, ...others } = headers;
  expect(etag !== undefined).to.equal(expected === 200);
  const now = Date.now() / 1_000;
  expect(Number(reset)).to.be.within(Math.floor(now), Math.ceil(now) + 30);
  expect(status).to.equal(expected);
  expect(others).to.deep.equal({
    'content-type': json,
    'content-length': String(body.length),
    ...(expected === 429 && { 'retry-after': '30' }),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    ...standing,
    ...keptAlive,
  });
  if (expected === 429) expect(body).to.equal('{"message":"Too Many Attempts."}');
}

describe('contract: limits: the rate of a key', () => {
  let isAway = false;
  const counts = countsTo(1);
  const service = withHttpService({
    limits: { keys: counts },
    ports: ({ campaigns }) => ({
      campaigns: {
        find: (id) => campaigns.find(id),
        setMirror: (seen, change) =>
          isAway ? Promise.reject(new Unavailable('away')) : campaigns.setMirror(seen, change),
      },
    }),
  });
  const stored = () => service().world.others.mirror(service().campaigns.own);
  beforeEach(() => {
    counts.asked = [];
  });

  it('the last that may pass tells how the key stands; one more is 429, says when to come again, and sets nothing', async () => {
    expectCounted(await ask(service()), 200, 1);
    const mirror = await stored();
    const answer = await ask(service());
    expectCounted(answer, 429, 1);
    const line = await service().log.line(answer.headers['x-request-id']);
    expect(line).to.include({ status: 429, because: 'rate' });
    // A window that is almost over lets nobody come at once.
    counts.resetIn = 0;
    expect((await ask(service())).headers['retry-after']).to.equal('1');
    counts.resetIn = 29_001;
    expect(await stored()).to.deep.equal(mirror);
    expect(new Set(counts.asked)).to.deep.equal(new Set([`key:${service().validKeyId}`]));
  });

  it('contract: order of checks: after 2 to 5, which are not counted, before 7 to 10, which are', async () => {
    const asked: readonly [status: number, asking: Asking, statusAgain: number, headers: number][] = [
      [404, { target: '/nowhere' }, 404, 0],
      [401, { headers: { Authorization: 'Bearer x' } }, 401, 0],
      [415, { headers: { 'Content-Type': 'text/plain' } }, 415, 0],
      [401, { headers: { Authorization: `Bearer ${service().keys.unknown}` } }, 401, 0],
      [404, { campaign: '042' }, 429, 3],
      [422, { body: '{}' }, 429, 3],
    ];
    for (const [status, asking, statusAgain, headers] of asked) {
      counts.asked = [];
      const [first, again] = [await ask(service(), asking), await ask(service(), asking)];
      expect([first.status, again.status]).to.deep.equal([status, statusAgain]);
      expect([limitHeaders(first), limitHeaders(again)]).to.deep.equal([headers, headers]);
    }
  });

  it('beyond it nothing is asked of the database; a key that is revoked meanwhile is 401 in the next window', async () => {
    const { owner, world } = service();
    const { key, id } = await world.accessKeys.issue({ owner, name: named('limited') });
    const call = async (asking: Asking = {}) =>
      (await ask(service(), { ...asking, headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await call()).to.equal(200);
    let statements = 0;
    const counted = async () => {
      statements += 1;
      return 'go on' as const;
    };
    await world.steps(async () => {
      for (const asking of [
        {},
        { campaign: '042' },
        { body: '{}' },
        { campaign: service().campaigns.foreign },
      ])
        expect(await call(asking)).to.equal(429);
      await world.accessKeys.revoke({ ids: [id] });
      expect(await call()).to.equal(429);
    }, counted);
    expect(statements).to.equal(0);
    counts.asked = [];
    expect([await call(), await call()]).to.deep.equal([401, 401]);
  });

  it('a fault after it was counted tells of it too; where it may not pass uncounted, it is 503 and sets nothing', async () => {
    const mirror = await stored();
    isAway = true;
    const counted = await ask(service());
    isAway = false;
    counts.fault = new Unavailable('away');
    const uncounted = await ask(service());
    counts.fault = undefined;
    expect([counted.status, limitHeaders(counted)]).to.deep.equal([503, 3]);
    expect([uncounted.status, limitHeaders(uncounted)]).to.deep.equal([503, 0]);
    expect(await stored()).to.deep.equal(mirror);
  });
});

describe('contract: limits: of refused keys, by the address', () => {
  const counts = countsTo(2);
  const proxies = { has: (address: string) => address === '127.0.0.1' };
  const service = withHttpService({ limits: { failedKeys: counts }, proxies });
  const from = (client: string, Authorization: string | readonly string[] | undefined) =>
    ask(service(), { headers: { Authorization, 'X-Forwarded-For': client } });
  const wrong = (client: string) => from(client, `Bearer ${service().keys.unknown}`);

  it('turns a 401 into 429, whichever way the key is wrong, and never refuses a valid one', async () => {
    const client = '203.0.113.9';
    const { unknown, expired, revoked, valid } = service().keys;
    for (const notCounted of [undefined, 'Basic x', ['Bearer x', 'Bearer x'], `Bearer ${valid}`])
      await from(client, notCounted);
    expect(counts.asked).not.to.include(client);
    for (const answer of [await wrong(client), await from(client, 'Bearer cm_nothing')])
      expect([answer.status, limitHeaders(answer)]).to.deep.equal([401, 0]);
    // Each waits for a second.
    const bad = ['cm_nothing', unknown, expired, revoked].map((key) => from(client, `Bearer ${key}`));
    for (const answer of await Promise.all(bad)) {
      expectCounted(answer, 429, 2);
      const line = await service().log.line(answer.headers['x-request-id']);
      expect(line).to.include({ status: 429, because: 'failed-keys', client });
    }
    expect((await from(client, `Bearer ${valid}`)).status).to.equal(200);
    const another = '203.0.113.10';
    expect((await wrong(another)).status).to.equal(401);
    counts.fault = new Unavailable('away');
    const { status, headers } = await wrong(another);
    counts.fault = undefined;
    expect([status, headers['www-authenticate']]).to.deep.equal([503, undefined]);
  });

  it('takes the /64 of an IPv6 address for one', async () => {
    const statuses: number[] = [];
    for (const client of ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:db8::ffff:1', '2001:db8:0:1::1', '::1'])
      statuses.push((await wrong(client)).status);
    expect(statuses).to.deep.equal([401, 401, 429, 401, 401]);
    const networks = ['2001:db8:0:0::/64', '2001:db8:0:1::/64', '0:0:0:0::/64'];
    expect([...new Set(counts.asked)].slice(-3)).to.deep.equal(networks);
  });
});

describe('contract: limits: counts in memory', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 }));
  afterEach(() => mock.timers.reset());

  it('each by itself, also beyond the limit, in a window that begins with the first; who was not seen for the longest is forgotten', async () => {
    const count = limiterOf({ limit: 2, seconds: 10 }, 2).count;
    const expectCount = async (who: string, consumed: number, resetIn: number) =>
      expect(await count(who), who).to.deep.equal({ consumed, resetIn });
    await expectCount('a', 1, 10_000);
    mock.timers.tick(4_000);
    await expectCount('a', 2, 6_000);
    await expectCount('b', 1, 10_000);
    await expectCount('a', 3, 6_000);
    await expectCount('c', 1, 10_000);
    await expectCount('a', 4, 6_000);
    await expectCount('b', 1, 10_000);
    mock.timers.tick(6_000);
    await expectCount('a', 1, 10_000);
    await expectCount('b', 2, 4_000);
  });
});
