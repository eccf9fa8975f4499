import FakeTimers, { type Clock } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { opsPage } from '../../packages/app/src/ops-page/page.ts';
import { type MetricObject, maxMoments, recentMoments } from '../../packages/app/src/ops-page/recent.ts';

const metric = (
  name: string,
  values: readonly (readonly [labels: object, value: number])[],
): MetricObject => ({
  name: `campaign_mirror_${name}`,
  values: values.map(([labels, value]) => ({ labels: { listener: 'callers', ...labels }, value })),
});
/** Of two routes; in milliseconds, 1 and 2 are the bounds. */
const durations = (one: number, two: number, all: number) =>
  metric('http_request_duration_seconds', [
    [{ route: 'a', le: 0.001 }, one],
    [{ route: 'a', le: 0.002 }, two],
    [{ route: 'a', le: '+Inf' }, all - 1],
    [{ route: 'a' }, 12.5],
    [{ route: 'b', le: 0.001 }, 0],
    [{ route: 'b', le: 0.002 }, 0],
    [{ route: 'b', le: '+Inf' }, 1],
  ]);

describe('the page for operators: its arithmetic', () => {
  let clock: Clock;
  let read: () => Promise<MetricObject[]>;
  let failures: string[];
  let recent: ReturnType<typeof recentMoments>;
  const failed = (error: unknown) => void failures.push(String(error));

  beforeEach(() => {
    const toFake = ['Date', 'performance', 'setInterval', 'clearInterval'] as const;
    clock = FakeTimers.install({ now: Date.UTC(2026, 10, 20, 15, 36), toFake: [...toFake] });
    read = async () => [];
    failures = [];
    recent = recentMoments(() => read(), failed);
  });
  afterEach(() => {
    recent.stop();
    clock.uninstall();
  });

  /** Takes a moment after so many seconds. */
  const take = async (seconds: number, one: MetricObject) => {
    await clock.tickAsync(seconds * 1_000);
    read = async () => [one];
    await recent.take();
    return recent.all.at(-1)?.series;
  };
  const state = async (readiness = async () => ({ database: true })) => {
    const version = { name: 'campaign-mirror', version: '1.2.3', node: 'v26.0.0', migration: '0001-schema' };
    const answer = await opsPage({ readiness, version, recent, failed })['/state.json']?.();
    return { status: answer?.status, ...JSON.parse(String(answer?.body)) };
  };

  it('latency is read off the buckets of the interval alone, all routes together, as Prometheus does', async () => {
    expect(await take(0, durations(0, 0, 1_000))).to.include({ median: null });
    expect(await take(5, durations(50, 100, 1_100))).to.include({ median: 1, percentile99: 1.98 });
    expect(await take(5, durations(50, 100, 1_100))).to.include({ median: null, percentile99: null });
    expect(await take(5, durations(50, 100, 1_200))).to.include({ median: 2 });
  });

  it('refusals are those since the first moment that it keeps, with the time of the last', async () => {
    const refused = { because: 'not-the-owner', status: 403 };
    for (const times of [7, 8, 9, 9]) await take(5, metric('http_refusals_total', [[refused, times]]));
    const last = Date.UTC(2026, 10, 20, 15, 36, 15) / 1_000;
    expect((await state()).refusals).to.deep.equal([{ ...refused, times: 2, last }]);
    for (let times = 0; times < maxMoments; times++) await recent.take();
    expect((await state()).refusals).to.deep.equal([]);
  });

  it('keeps ten minutes and no more; a moment that fails is reported and left out', async () => {
    expect(await state()).to.deep.include({ times: [], series: {}, figures: {}, refusals: [] });
    recent.start();
    await clock.tickAsync(700_000);
    read = () => Promise.reject(new Error('not now'));
    await clock.tickAsync(5_000);
    read = async () => [];
    await clock.tickAsync(5_000);
    const { times, series } = await state();
    expect(times.at(-1)).to.equal(Date.now() / 1_000);
    expect(times.at(-1) - times[0]).to.equal(605);
    expect(series.requests).to.have.length(times.length);
    const { status, ...unready } = await state(() => Promise.reject(new Error('secret')));
    expect(status).to.equal(500);
    expect(JSON.stringify(unready)).not.to.include('secret');
    expect(failures).to.deep.equal(['Error: not now', 'Error: secret']);
  });
});
