import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';

describe('contract: order of checks — 6, the rate of a key', () => {
  const counts = new ToldCounts(1);
  let failsToSet = false;
  const service = withHttpService({
    limits: { keys: counts },
    ports: ({ campaigns }) => ({
      campaigns: {
        find: (id) => campaigns.find(id),
        setMirror: (seen, change) =>
          failsToSet ? Promise.reject(new Unavailable('away')) : campaigns.setMirror(seen, change),
      },
    }),
  });
  const limitHeaders = (headers: object) => Object.keys(headers).filter((name) => name.includes('ratelimit'));
  /** As after the first of one request in the window. */
  const useUp = () => counts.asked.push(`key:${service().validKeyId}`);

  beforeEach(() => {
    counts.forget();
    counts.fault = undefined;
    failsToSet = false;
  });

  it('an answer that was counted tells how the key stands', async () => {
    const before = Math.ceil((Date.now() + counts.resetIn) / 1_000);
    const { status, headers } = await ask(service());
    const after = Math.ceil((Date.now() + counts.resetIn) / 1_000);
    expect(status).to.equal(200);
    expect(counts.asked, 'by the subject of the caller').to.deep.equal([`key:${service().validKeyId}`]);
    expect(Number(headers['x-ratelimit-reset'])).to.be.within(before, after);
    expect(headers).to.include({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'ratelimit-policy': '"key";q=1;w=60',
      ratelimit: '"key";r=0;t=30',
    });
    expect(headers).not.to.have.property('retry-after');
  });

  it('one too many is 429, says when to come again, and sets nothing', async () => {
    useUp();
    const { campaigns, world, log } = service();
    const stored = await world.others.mirror(campaigns.own);
    const { status, reason, headers, body } = await ask(service());
    expect([status, reason, body]).to.deep.equal([
      429,
      'Too Many Requests',
      '{"message":"Too Many Attempts."}',
    ]);
    const { date: _, 'x-request-id': requestId, 'x-ratelimit-reset': reset, ...others } = headers;
    expect(others).to.deep.equal({
      'content-type': json,
      'content-length': '32',
      'retry-after': '30',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'ratelimit-policy': '"key";q=1;w=60',
      ratelimit: '"key";r=0;t=30',
      ...standing,
      ...keptAlive,
    });
    expect(reset).to.match(/^[0-9]{10}$/);
    expect(await world.others.mirror(campaigns.own)).to.deep.equal(stored);
    expect(await log.line(String(requestId))).to.include({ status: 429, because: 'rate' });
  });

  it('a window that is almost over lets nobody come at once', async () => {
    useUp();
    counts.resetIn = 0;
    const { headers } = await ask(service());
    counts.resetIn = 29_001;
    expect(headers['retry-after']).to.equal('1');
  });

  for (const asking of [{ campaign: '042' }, { body: '{}' }]) {
    it(`before 7 to 10, which are counted: ${JSON.stringify(asking)}`, async () => {
      const first = await ask(service(), asking);
      expect(first.status).not.to.equal(429);
      expect(limitHeaders(first.headers)).to.have.length(5);
      expect((await ask(service(), asking)).status).to.equal(429);
    });
  }

  const before: Readonly<Record<string, readonly [number, () => Asking]>> = {
    '2 route': [404, () => ({ target: '/nowhere' })],
    '3 no key': [401, () => ({ headers: { Authorization: undefined } })],
    '3 malformed key': [401, () => ({ headers: { Authorization: 'Bearer x' } })],
    '4 type': [415, () => ({ headers: { 'Content-Type': 'text/plain' } })],
    '5 unknown key': [401, () => ({ headers: { Authorization: `Bearer ${service().keys.unknown}` } })],
  };
  for (const [check, [expected, asking]] of Object.entries(before)) {
    it(`after ${check}, which is not counted`, async () => {
      const { status, headers } = await ask(service(), asking());
      expect([status, limitHeaders(headers), counts.asked]).to.deep.equal([expected, [], []]);
    });
  }

  it('a fault after it was counted tells of it too', async () => {
    failsToSet = true;
    const { status, headers } = await ask(service());
    expect(status).to.equal(503);
    expect(limitHeaders(headers)).to.have.length(5);
  });

  it('where it may not pass uncounted, it is 503 and sets nothing', async () => {
    const { campaigns, world } = service();
    const stored = await world.others.mirror(campaigns.own);
    counts.fault = new Unavailable('away');
    const { status, headers } = await ask(service());
    expect([status, limitHeaders(headers)]).to.deep.equal([503, []]);
    expect(await world.others.mirror(campaigns.own)).to.deep.equal(stored);
  });
});
