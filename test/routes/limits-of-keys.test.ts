import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { type Asking, ask, type Given } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';

describe('contract: order of checks, 6: the rate of a key', () => {
  const counts = new ToldCounts(1);
  let isAway = false;
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
  const limitHeaders = (headers: object) => Object.keys(headers).filter((name) => name.includes('ratelimit'));
  const who = () => `key:${service().validKeyId}`;
  const stored = () => service().world.others.mirror(service().campaigns.own);

  beforeEach(() => {
    counts.asked.splice(0);
    counts.fault = undefined;
    isAway = false;
  });

  it('the last that may pass tells how the key stands; one more is 429, says when to come again, and sets nothing', async () => {
    const resetsAt = () => Math.ceil((Date.now() + counts.resetIn) / 1_000);
    const before = resetsAt();
    for (const status of [200, 429]) {
      const mirror = await stored();
      const answer = await ask(service());
      const { date: _, 'x-request-id': requestId, 'x-ratelimit-reset': reset, ...headers } = answer.headers;
      expect(Number(reset)).to.be.within(before, resetsAt());
      expect(answer.status).to.equal(status);
      expect(headers).to.deep.equal({
        'content-type': json,
        'content-length': String(answer.body.length),
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'ratelimit-policy': '"key";q=1;w=60',
        ratelimit: '"key";r=0;t=30',
        ...(status === 429 && { 'retry-after': '30' }),
        ...standing,
        ...keptAlive,
      });
      if (status === 200) continue;
      expect([answer.reason, answer.body]).to.deep.equal([
        'Too Many Requests',
        '{"message":"Too Many Attempts."}',
      ]);
      expect(await stored()).to.deep.equal(mirror);
      expect(await service().log.line(requestId)).to.include({ status, because: 'rate' });
    }
    expect(counts.asked, 'by the subject of the caller').to.deep.equal([who(), who()]);
  });

  it('a window that is almost over lets nobody come at once', async () => {
    counts.asked.push(who());
    counts.resetIn = 0;
    const { headers } = await ask(service());
    counts.resetIn = 29_001;
    expect(headers['retry-after']).to.equal('1');
  });

  for (const asking of [{ campaign: '042' }, { body: '{}' }])
    it(`before 7 to 10, which are counted: ${JSON.stringify(asking)}`, async () => {
      const first = await ask(service(), asking);
      expect(first.status).not.to.equal(429);
      expect(limitHeaders(first.headers)).to.have.length(5);
      expect((await ask(service(), asking)).status).to.equal(429);
    });

  const before: Readonly<Record<string, readonly [number, Asking | Given]>> = {
    '2 route': [404, { target: '/nowhere' }],
    '3 malformed key': [401, { headers: { Authorization: 'Bearer x' } }],
    '4 type': [415, { headers: { 'Content-Type': 'text/plain' } }],
    '5 unknown key': [401, ({ keys }) => ({ headers: { Authorization: `Bearer ${keys.unknown}` } })],
  };
  for (const [check, [expected, asking]] of Object.entries(before))
    it(`after ${check}, which is not counted`, async () => {
      const { status, headers } = await ask(
        service(),
        typeof asking === 'function' ? asking(service()) : asking,
      );
      expect([status, limitHeaders(headers), counts.asked]).to.deep.equal([expected, [], []]);
    });

  it('a fault after it was counted tells of it too; where it may not pass uncounted, it is 503 and sets nothing', async () => {
    const mirror = await stored();
    isAway = true;
    const counted = await ask(service());
    isAway = false;
    counts.fault = new Unavailable('away');
    const uncounted = await ask(service());
    expect([counted.status, limitHeaders(counted.headers).length]).to.deep.equal([503, 5]);
    expect([uncounted.status, limitHeaders(uncounted.headers)]).to.deep.equal([503, []]);
    expect(await stored()).to.deep.equal(mirror);
  });
});
