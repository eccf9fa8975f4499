import { readFileSync } from 'node:fs';
import { type Checks, contentSecurityPolicy, type OpsAnswer } from '@campaign-mirror/adapters-http';
import type { PageData } from './page-data.ts';
import type { Moment, RecentMoments } from './recent.ts';

/** The page for operators, by the paths of its files. `/state.json` has its figures, which the browser draws. */
export function opsPage(options: {
  readonly readiness: () => Promise<Checks>;
  readonly version: Readonly<Record<string, string>>;
  readonly recent: RecentMoments;
  readonly lists: PageData['lists'];
}): Readonly<Record<string, OpsAnswer>> {
  const { readiness, version, recent, lists } = options;
  const policy = { 'Content-Security-Policy': contentSecurityPolicy('data:') };
  return {
    '/': file('../../ops-page/page.html', 'text/html', policy),
    '/page.js': file('../../ops-page/page.js', 'text/javascript'),
    '/page.css': file('../../ops-page/page.css', 'text/css'),
    '/uplot.js': file(import.meta.resolve('uplot/dist/uPlot.iife.min.js'), 'text/javascript'),
    '/uplot.css': file(import.meta.resolve('uplot/dist/uPlot.min.css'), 'text/css'),
    '/state.json': async () => {
      const [checks, ofDatabase] = await Promise.all([readiness(), lists()]);
      const state = { readiness: checks, version, ...ofMoments(recent.all), ...ofDatabase };
      return { status: 200, body: JSON.stringify(state) };
    },
  };
}

/** Answers with a file. `url` is relative to this module. */
function file(url: string, type: string, headers = {}): OpsAnswer {
  const body = readFileSync(new URL(url, import.meta.url), 'utf8');
  return () => ({ status: 200, contentType: `${type}; charset=utf-8`, body, headers });
}

/** The plots and figures. Times are in seconds since 1970; each of the series has as many values as `times`. */
function ofMoments(moments: readonly Moment[]) {
  const latest = moments.at(-1);
  const names = Object.keys(latest?.series ?? {}) as (keyof Moment['series'])[];
  return {
    at: Date.now() / 1_000,
    times: moments.map(({ at }) => at),
    series: Object.fromEntries(names.map((name) => [name, moments.map(({ series }) => series[name])])),
    figures: latest?.figures ?? {},
    refusals: refusals(moments),
  };
}

/** The refusals of the last minutes by reason, each with the moment of its last one; the latest first. */
function refusals(moments: readonly Moment[]) {
  const first = moments[0];
  const latest = moments.at(-1);
  const timesIn = (moment: Moment | undefined, because: string) =>
    moment?.counts.refusals.find((one) => one.because === because)?.times ?? 0;
  return (latest?.counts.refusals ?? [])
    .map(({ because, status, times }) => ({
      because,
      status,
      times: times - timesIn(first, because),
      last: moments.find((moment) => timesIn(moment, because) === times)?.at ?? 0,
    }))
    .filter(({ times }) => times > 0)
    .sort((one, other) => other.last - one.last || other.times - one.times);
}
