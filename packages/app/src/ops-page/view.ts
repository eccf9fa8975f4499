import type { Checks, Version } from '@campaign-mirror/adapters-http';
import { figures } from './figures.ts';
import { type Interval, intervalsOf, recentRefusals } from './intervals.ts';
import type { Moment } from './moment.ts';
import { clock, timeOf, whole } from './numbers.ts';
import { drawn, plots } from './plots.ts';
import { betweenMoments, maxMoments } from './recent-moments.ts';
import type { Row } from './row.ts';

/** The longest and the shortest period of the plots, in milliseconds. */
const longest = betweenMoments * (maxMoments - 1);
const shortest = 60_000;

/** What the page shows, as text: the page is made from it and updated by it. By the names of its elements. */
export interface View {
  readonly good: boolean;
  readonly texts: Readonly<Record<string, string>>;
  /** The `d` of SVG paths. */
  readonly lines: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<'checks' | 'figures' | 'refusals', readonly Row[]>>;
}

interface Seen {
  readonly readiness: Checks;
  readonly liveness: Checks;
  readonly version: Version;
  /** The oldest first; empty without metrics. */
  readonly moments: readonly Moment[];
}

export function viewOf(seen: Seen, now = performance.timeOrigin + performance.now()): View {
  const { readiness, liveness, version, moments } = seen;
  const state = stateOf(readiness, liveness);
  const intervals = intervalsOf(moments);
  const from = Math.max(now - longest, Math.min(now - shortest, moments[0]?.at ?? now));
  const refusals = recentRefusals(moments)
    .sort((one, other) => other.at - one.at || other.count - one.count)
    .map(({ because, status, count, at }) => ({ cells: [because, status, whole(count), clock(at)] }));
  const { texts, lines } = plotted(moments.at(-1), intervals, { from, to: now });
  return {
    good: state === 'Ready',
    texts: {
      title: `${state} · Campaign Mirror`,
      state,
      at: clock(now),
      version: version.version,
      span: timeOf((now - from) / 1_000),
      'no-refusals': refusals.length === 0 ? 'None.' : '',
      ...texts,
    },
    lines,
    rows: {
      checks: [...rowsOf({ alive: true, ...liveness }), ...rowsOf(readiness)],
      figures: figures(version, moments.at(-1), intervals.at(-1)),
      refusals,
    },
  };
}

function stateOf(readiness: Checks, liveness: Checks): string {
  const failing = (checks: Checks) => Object.keys(checks).filter((name) => !checks[name]);
  const [dead, missing] = [failing(liveness), failing(readiness)];
  if (dead.length > 0) return `Not alive: ${dead.join(', ')}`;
  return missing.length > 0 ? `Not ready: ${missing.join(', ')}` : 'Ready';
}

function rowsOf(checks: Checks): Row[] {
  return Object.entries(checks).map(([name, passes]) => ({
    cells: [name, passes ? 'passes' : 'fails'],
    ...(!passes && { bad: true }),
  }));
}

function plotted(
  latest: Moment | undefined,
  intervals: readonly Interval[],
  span: { readonly from: number; readonly to: number },
): Pick<View, 'texts' | 'lines'> {
  const texts: Record<string, string> = {};
  const lines: Record<string, string> = {};
  for (const plot of latest ? plots : []) {
    const { top, lines: all } = drawn(plot, intervals, latest as Moment, span);
    texts[`${plot.name}-top`] = top;
    for (const { name, path, now } of all) {
      texts[name] = now;
      lines[name] = path;
    }
  }
  return { texts, lines };
}
