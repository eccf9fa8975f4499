import { mock as nodeMock } from 'node:test';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import type { RawResponse } from '../support/http/connection.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { named } from '../support/store/world.ts';

/** A limiter whose window never ends. */
const countsTo = (limit: number) => ({
  rate: { limit, seconds: 60 },
  counted: [] as string[],
  async count(who: string) {
    this.counted.push(who);
    return { consumed: this.counted.filter((one) => one === who).length, resetIn: 29_001 };
  },
});

const limitHeaders = ({ headers }: RawResponse) =>
  Object.keys(headers).filter((name) => name.includes('ratelimit')).length;

/** Checks the whole answer to a call that uses up the limit, or exceeds it. */
function expectCounted({ status, headers, body }: RawResponse, expected: number, limit: number) {
  const { date: _, 'x-request-id': __, 'x-ratelimit-reset': reset, etag, ...others } = headers;
  expect([status, etag !== undefined]).to.deep.equal([expected, expected === 200]);
  const now = Date.now() / 1_000;
  expect(Number(reset)).to.be.within(Math.floor(now), Math.ceil(now) + 30);
  expect(others).to.deep.equal({
    ...{ 'content-type': json, 'content-length': String(body.length) },
    ...(expected === 429 && { 'retry-after': '30' }),
    ...{ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0', ...standing, ...keptAlive },
  });
  if (expected === 429) expect(body).to.equal('{"message":"Too Many Attempts."}');
}

describe('contract: limits: RATE_LIMIT limits the calls of each key', () => {
  const limiter = countsTo(1);
  const service = withHttpService({ limits: { keys: limiter } });
  const stored = () => service().world.others.mirror(service().campaigns.own);
  beforeEach(() => {
    limiter.counted = [];
  });

  it('the last allowed call has the headers of the limit; the next one is 429, and sets nothing', async () => {
    expectCounted(await ask(service()), 200, 1);
    const mirror = await stored();
    const answer = await ask(service());
    expectCounted(answer, 429, 1);
    const line = await service().log.line(answer.headers['x-request-id']);
    expect(line).to.include({ status: 429, because: 'rate' });
    expect(await stored()).to.deep.equal(mirror);
    expect(new Set(limiter.counted)).to.deep.equal(new Set([`key:${service().validKeyId}`]));
  });

  it('contract: order of checks: a call counts after its key was found valid, whatever the answer is', async () => {
    const cases: readonly [status: number, asking: Asking, statusAgain: number, headers: number][] = [
      [404, { target: '/nowhere' }, 404, 0],
      [401, { headers: { Authorization: 'Bearer x' } }, 401, 0],
      [415, { headers: { 'Content-Type': 'text/plain' } }, 415, 0],
      [401, { headers: { Authorization: `Bearer ${service().keys.unknown}` } }, 401, 0],
      [404, { campaign: '042' }, 429, 3],
      [422, { body: '{}' }, 429, 3],
    ];
    for (const [status, asking, statusAgain, headers] of cases) {
      limiter.counted = [];
      const [first, again] = [await ask(service(), asking), await ask(service(), asking)];
      expect([first.status, again.status]).to.deep.equal([status, statusAgain]);
      expect([limitHeaders(first), limitHeaders(again)]).to.deep.equal([headers, headers]);
    }
  });

  it('a call beyond the limit sends no statement; a key revoked meanwhile is 401 in the next window', async () => {
    const { owner, world } = service();
    const { key, id } = await world.accessKeys.issue({ owner, name: named('limited') });
    const headers = { Authorization: `Bearer ${key}` };
    const call = async (asking: Asking = {}) => (await ask(service(), { ...asking, headers })).status;
    expect(await call()).to.equal(200);
    const { mock } = nodeMock.method(world.statements, 'run');
    for (const asking of [{}, { body: '{}' }, { campaign: service().campaigns.foreign }])
      expect(await call(asking)).to.equal(429);
    await world.accessKeys.revoke({ ids: [id] });
    expect(await call()).to.equal(429);
    expect(mock.callCount()).to.equal(0);
    nodeMock.restoreAll();
    limiter.counted = [];
    expect([await call(), await call()]).to.deep.equal([401, 401]);
  });
});

describe('contract: limits: FAILED_KEY_LIMIT limits the refused keys of each client address', () => {
  const limiter = countsTo(2);
  const proxies = { has: (address: string) => address === '127.0.0.1' };
  const service = withHttpService({ limits: { failedKeys: limiter }, proxies });
  const from = (client: string, Authorization: string | readonly string[] | undefined) =>
    ask(service(), { headers: { Authorization, 'X-Forwarded-For': client } });
  const wrong = (client: string) => from(client, `Bearer ${service().keys.unknown}`);

  it('beyond the limit, every refused key is 429, and a valid key is served', async () => {
    const client = '203.0.113.9';
    const { unknown, expired, revoked, valid } = service().keys;
    for (const uncounted of [undefined, 'Basic x', ['Bearer x', 'Bearer x'], `Bearer ${valid}`])
      await from(client, uncounted);
    expect(limiter.counted).not.to.include(client);
    for (const answer of [await wrong(client), await from(client, 'Bearer cm_nothing')])
      expect([answer.status, limitHeaders(answer)]).to.deep.equal([401, 0]);
    const bad = ['cm_nothing', unknown, expired, revoked].map((key) => from(client, `Bearer ${key}`));
    for (const answer of await Promise.all(bad)) {
      expectCounted(answer, 429, 2);
      const line = await service().log.line(answer.headers['x-request-id']);
      expect(line).to.include({ status: 429, because: 'failed-keys', client });
    }
    expect((await from(client, `Bearer ${valid}`)).status).to.equal(200);
  });

  it('the addresses of an IPv6 /64 share a count', async () => {
    const statuses: number[] = [];
    for (const client of ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:db8::ffff:1', '2001:db8:0:1::1', '::1'])
      statuses.push((await wrong(client)).status);
    expect(statuses).to.deep.equal([401, 401, 429, 401, 401]);
  });
});
