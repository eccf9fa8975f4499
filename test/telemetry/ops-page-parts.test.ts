import { expect } from 'chai';
import { Scrape } from '../../packages/app/src/metrics/scrape.ts';
import { pageOf } from '../../packages/app/src/ops-page/html.ts';
import { intervalsOf, quantile, recentRefusals } from '../../packages/app/src/ops-page/intervals.ts';
import { type Moment, momentOf } from '../../packages/app/src/ops-page/moment.ts';
import { drawn, plots } from '../../packages/app/src/ops-page/plots.ts';
import { maxMoments, recentMoments } from '../../packages/app/src/ops-page/recent-moments.ts';
import { viewOf } from '../../packages/app/src/ops-page/view.ts';

const empty = momentOf([], 0);
const start = Date.UTC(2026, 10, 20, 15, 36);
/** So many seconds after the start. */
const moment = (seconds: number, more: Partial<Moment> = {}): Moment => ({
  ...empty,
  at: start + seconds * 1_000,
  ...more,
});
const answered = (ok: number, faults = 0, refused = 0) =>
  new Map([
    ['200', ok],
    ['503', faults],
    ['403', refused],
  ]);
const refusals = (count: number) => new Map([['not-the-owner', { status: '403', count }]]);
const version = { name: 'campaign-mirror', version: '1.2.3', node: 'v26.0.0', migration: '0001-initial' };
const seen = { readiness: {}, liveness: {}, version, moments: [] };

describe('the page for operators — its parts', () => {
  it('rates are those between two moments, however long that was', () => {
    const moments = [
      moment(0, { statuses: answered(100) }),
      moment(5, { statuses: answered(150, 10, 5) }),
      moment(15, { statuses: answered(150, 30, 5) }),
    ];
    const rates = intervalsOf(moments).map(({ requests, serverErrors, clientErrors }) => [
      ...[requests, serverErrors, clientErrors],
    ]);
    expect(rates).to.deep.equal([
      [13, 2, 1],
      [2, 2, 0],
    ]);
  });

  it('a count that falls, since a worker was killed, is no negative rate', () => {
    const [interval] = intervalsOf([
      moment(0, { statuses: answered(9), within: new Map([[1, 9]]) }),
      moment(5, { statuses: answered(8), within: new Map([[1, 8]]) }),
    ]);
    expect([interval?.requests, interval?.median]).to.deep.equal([0, undefined]);
  });

  it('latency is read off the buckets of the interval alone', () => {
    const buckets = (one: number, two: number, all: number) =>
      new Map([
        [0.001, one],
        [0.002, two],
        [Number.POSITIVE_INFINITY, all],
      ]);
    const [interval] = intervalsOf([
      moment(0, { within: buckets(0, 0, 1_000) }),
      moment(5, { within: buckets(50, 100, 1_100) }),
    ]);
    expect([interval?.median, interval?.percentile99]).to.deep.equal([1, 1.98]);
    const endless = Number.POSITIVE_INFINITY;
    const beyond = [
      { bound: 5, count: 0 },
      { bound: endless, count: 3 },
    ];
    expect(quantile(0.5, beyond), 'beyond the last bound').to.equal(5);
    expect(quantile(0.5, []), 'of none').to.equal(undefined);
  });

  it('refusals are those since the first moment that it keeps, with the time of the last', () => {
    const moments = [0, 5, 10, 15].map((at) =>
      moment(at, { refusals: refusals(at === 0 ? 7 : at === 5 ? 8 : 9) }),
    );
    expect(recentRefusals(moments)).to.deep.equal([
      { because: 'not-the-owner', status: '403', count: 2, at: start + 10_000 },
    ]);
    expect(recentRefusals(moments.slice(2))).to.deep.equal([]);
  });

  it('a line is broken where there is no value, and what stands alone is a dot', () => {
    const latency = plots.find(({ name }) => name === 'latency');
    if (!latency) throw new Error('there is no plot of the latency');
    const intervals = [1, 2, undefined, 4, undefined, 3, 5].map((median, at) => ({
      ...(intervalsOf([moment(0), moment(5)])[0] as ReturnType<typeof intervalsOf>[number]),
      at: start + at * 100_000,
      median,
    }));
    const { lines, top } = drawn(latency, intervals, empty, { from: start, to: start + 600_000 });
    expect(top).to.equal('5');
    expect(lines.at(-1)).to.deep.equal({
      name: 'median',
      path: 'M0 80L100 60M300 20h0M500 40L600 0',
      now: '5',
    });
  });

  it('its lines stay within the drawing, and reach back ten minutes at most', () => {
    const moments = Array.from({ length: 200 }, (_, at) => moment(at * 5, { statuses: answered(at * at) }));
    const now = start + 199 * 5_000;
    const { lines, texts } = viewOf({ ...seen, moments: moments.slice(-maxMoments) }, now);
    const points = [...(lines.requests ?? '').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)];
    expect(points).to.have.length(120);
    for (const [, x, y] of points) {
      expect(Number(x)).to.be.within(0, 600);
      expect(Number(y)).to.be.within(0, 100);
    }
    expect([texts.span, texts.at]).to.deep.equal(['10 minutes', '15:52:35 UTC']);
    expect(viewOf({ ...seen, moments: moments.slice(0, 2) }, start + 9_000).texts.span).to.equal(
      '60 seconds',
    );
  });

  it('keeps so many moments and no more, one at a time; one that fails is reported and left out', async () => {
    const failures: unknown[] = [];
    let taken = 0;
    const recent = recentMoments(
      async () => {
        taken += 1;
        if (taken === 2) throw new Error('not now');
        return moment(taken);
      },
      (error) => failures.push(error),
    );
    await Promise.all([recent.take(), recent.take()]);
    expect(recent.all).to.have.length(1);
    for (let times = 0; times < maxMoments + 10; times++) await recent.take();
    expect(recent.all).to.have.length(maxMoments);
    expect(recent.all.at(-1)?.at).to.equal(start + (maxMoments + 11) * 1_000);
    expect(failures.map(String)).to.deep.equal(['Error: not now']);
  });

  it('what is kept of the last minutes asks nobody else: the database works for those only who look', async () => {
    let asked = 0;
    const counts = {
      name: 'a_total',
      help: 'of tests',
      type: 'counter',
      aggregator: 'sum',
      values: [],
    } as const;
    const scrape = new Scrape(async () => [[counts]]);
    scrape.add(() => {
      asked += 1;
      return {};
    });
    expect((await scrape.counted()).map(({ name }) => name)).to.deep.equal(['a_total']);
    expect(asked).to.equal(0);
    await scrape.text();
    expect(asked).to.equal(1);
  });

  it('whatever it shows is text', () => {
    const hostile = `"><script>'&`;
    const texts = { state: hostile, title: hostile, version: hostile };
    const row = { cells: [hostile, hostile] };
    const rows = { checks: [row], figures: [row], refusals: [row] };
    const page = pageOf({ good: true, texts, lines: { requests: hostile }, rows }, true);
    expect(page).not.to.include(hostile);
    expect(page.match(/<script/g)).to.have.length(1);
    expect(page).to.include('&quot;&gt;&lt;script&gt;&#39;&amp;');
  });

  it('names what is not alive before what is not ready', () => {
    const state = (liveness: Record<string, boolean>, readiness: Record<string, boolean>) =>
      viewOf({ ...seen, liveness, readiness }).texts.state;
    expect(state({ workers: true }, { database: true })).to.equal('Ready');
    expect(state({ workers: true }, { database: false, workers: false })).to.equal(
      'Not ready: database, workers',
    );
    expect(state({ 'worker 2': false }, { database: false })).to.equal('Not alive: worker 2');
  });
});
