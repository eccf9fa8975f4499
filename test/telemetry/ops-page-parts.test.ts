import FakeTimers, { type Clock } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { opsPage } from '../../packages/app/src/ops-page/page.ts';
import { quantile } from '../../packages/app/src/ops-page/quantile.ts';
import { type MetricObject, maxMoments, recentMoments } from '../../packages/app/src/ops-page/recent.ts';

const counter = (name: string, values: readonly (readonly [object, number])[]): MetricObject => ({
  name: `campaign_mirror_${name}`,
  values: values.map(([labels, value]) => ({ labels: { listener: 'callers', ...labels }, value })),
});
const answered = (ok: number, faults = 0, refused = 0) =>
  counter('http_requests_total', [
    [{ status: 200 }, ok],
    [{ status: 503 }, faults],
    [{ status: 403 }, refused],
    [{ status: 200, listener: 'operators' }, 1_000_000],
  ]);
/** Of two routes; in milliseconds, 1 and 2 are the bounds. */
const durations = (one: number, two: number, all: number) =>
  counter('http_request_duration_seconds', [
    [{ route: 'a', le: 0.001 }, one],
    [{ route: 'a', le: 0.002 }, two],
    [{ route: 'a', le: '+Inf' }, all - 1],
    [{ route: 'a' }, 12.5],
    [{ route: 'b', le: 0.001 }, 0],
    [{ route: 'b', le: 0.002 }, 0],
    [{ route: 'b', le: '+Inf' }, 1],
  ]);
const refused = (times: number) =>
  counter('http_refusals_total', [[{ because: 'not-the-owner', status: 403 }, times]]);

describe('the page for operators: its arithmetic', () => {
  let clock: Clock;
  let told: readonly MetricObject[] | Error;
  let failures: unknown[];
  let recent: ReturnType<typeof recentMoments>;

  beforeEach(() => {
    clock = FakeTimers.install({
      now: Date.UTC(2026, 10, 20, 15, 36),
      toFake: ['Date', 'performance', 'setInterval', 'clearInterval'],
    });
    told = [];
    failures = [];
    const read = async () => {
      if (told instanceof Error) throw told;
      return told;
    };
    recent = recentMoments(read, (error) => failures.push(error));
  });
  afterEach(() => {
    recent.stop();
    clock.uninstall();
  });

  /** Takes a moment after so many seconds. */
  const take = async (seconds: number, ...metrics: MetricObject[]) => {
    await clock.tickAsync(seconds * 1_000);
    told = metrics;
    await recent.take();
    return recent.all.at(-1)?.series;
  };
  const state = async () => {
    const version = { name: 'campaign-mirror', version: '1.2.3', node: 'v26.0.0', migration: '0001-schema' };
    const failed = (error: unknown) => failures.push(error);
    const lists = async () => ({ keys: [], moves: [] });
    const page = opsPage({ readiness: async () => ({ database: true }), version, recent, lists, failed });
    return JSON.parse(String((await page['/state.json']?.())?.body));
  };

  it('rates are those between two moments, however long that was; the first has none', async () => {
    expect(await take(0, answered(100))).to.include({ requests: null, serverErrors: null });
    const two = await take(5, answered(150, 10, 5));
    expect(two).to.include({ requests: 13, serverErrors: 2, clientErrors: 1 });
    const three = await take(10, answered(150, 30, 5));
    expect(three).to.include({ requests: 2, serverErrors: 2, clientErrors: 0 });
  });

  it('a clock that is set back changes no rate', async () => {
    await take(0, answered(100));
    clock.setSystemTime(Date.UTC(2026, 10, 20, 14, 0));
    expect(await take(5, answered(150))).to.include({ requests: 10 });
  });

  it('latency is read off the buckets of the interval alone, all routes together', async () => {
    expect(await take(0, durations(0, 0, 1_000))).to.include({ median: null });
    const busy = await take(5, durations(50, 100, 1_100));
    expect([busy?.median, busy?.percentile99]).to.deep.equal([1, 1.98]);
    const idle = await take(5, durations(50, 100, 1_100));
    expect([idle?.median, idle?.percentile99]).to.deep.equal([null, null]);
  });

  it('a quantile beyond the last bound is that bound, and of nothing there is none, as with Prometheus', () => {
    const buckets = [
      { bound: 5, count: 0 },
      { bound: Number.POSITIVE_INFINITY, count: 3 },
    ];
    expect(quantile(0.5, buckets)).to.equal(5);
    expect(quantile(0.5, [])).to.equal(null);
  });

  it('refusals are those since the first moment that it keeps, with the time of the last', async () => {
    for (const times of [7, 8, 9, 9]) await take(5, refused(times));
    const last = Date.UTC(2026, 10, 20, 15, 36, 15) / 1_000;
    expect((await state()).refusals).to.deep.equal([
      { because: 'not-the-owner', status: 403, times: 2, last },
    ]);
    for (let times = 0; times < maxMoments; times++) await take(5, refused(9));
    expect((await state()).refusals).to.deep.equal([]);
  });

  it('keeps ten minutes and no more; a moment that fails is reported and left out', async () => {
    recent.start();
    await clock.tickAsync(700_000);
    told = new Error('not now');
    await clock.tickAsync(5_000);
    told = [];
    await clock.tickAsync(5_000);
    const { times, series } = await state();
    expect(times.at(-1)).to.equal(Date.now() / 1_000);
    expect(times.at(-1) - times[0]).to.equal(605);
    expect(series.requests).to.have.length(times.length);
    expect(failures.map(String)).to.deep.equal(['Error: not now']);
    recent.stop();
    await clock.tickAsync(5_000);
    expect((await state()).times).to.deep.equal(times);
  });

  it('has no figures before the first moment; what cannot be told is a fault without details', async () => {
    expect(await state()).to.deep.include({ times: [], series: {}, figures: {}, refusals: [] });
    const fault = new Error('secret');
    const page = opsPage({
      readiness: () => Promise.reject(fault),
      version: { name: '', version: '', node: '', migration: '' },
      recent,
      lists: async () => ({ keys: [], moves: [] }),
      failed: (error) => failures.push(error),
    });
    const answer = await page['/state.json']?.();
    expect(answer?.status).to.equal(500);
    expect(JSON.stringify(answer)).not.to.include('secret');
    expect(failures).to.deep.equal([fault]);
  });
});
