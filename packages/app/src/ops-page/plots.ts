import type { Interval } from './intervals.ts';
import type { Moment } from './moment.ts';
import { few } from './numbers.ts';

/** In the drawing's units; it is as wide as the page allows. */
export const drawing = { width: 600, height: 100 } as const;

export interface Line {
  readonly name: string;
  readonly label: string;
  readonly value: (interval: Interval) => number | undefined;
}

export interface Plot {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
  /** The least value of its upper edge. */
  readonly least: (latest: Moment) => number;
}

/** Each has one line or two. */
export const plots: readonly Plot[] = [
  {
    name: 'requests',
    title: 'Requests',
    unit: 'a second',
    lines: [{ name: 'requests', label: 'answered', value: ({ requests }) => requests }],
    least: () => 1,
  },
  {
    name: 'errors',
    title: 'Errors',
    unit: 'a second',
    lines: [
      { name: 'server-errors', label: '5xx', value: ({ serverErrors }) => serverErrors },
      { name: 'client-errors', label: '4xx', value: ({ clientErrors }) => clientErrors },
    ],
    least: () => 1,
  },
  {
    name: 'latency',
    title: 'Latency',
    unit: 'ms',
    lines: [
      { name: 'percentile-99', label: '99 of 100 within', value: ({ percentile99 }) => percentile99 },
      { name: 'median', label: 'half within', value: ({ median }) => median },
    ],
    least: () => 1,
  },
  {
    name: 'pool',
    title: 'Database pool',
    unit: 'connections',
    lines: [
      { name: 'pool-waiting', label: 'statements waiting', value: ({ poolWaiting }) => poolWaiting },
      { name: 'pool-in-use', label: 'in use', value: ({ poolInUse }) => poolInUse },
    ],
    least: ({ pool }) => pool.limit,
  },
];

/**
 * The value of the upper edge, and for each line the `d` of an SVG path and the present value. `from` and `to`: the
 * times of the left and the right edge, in milliseconds since 1970.
 */
export function drawn(
  { lines, least }: Plot,
  intervals: readonly Interval[],
  latest: Moment,
  { from, to }: { readonly from: number; readonly to: number },
) {
  const values = lines.flatMap(({ value }) => intervals.map((interval) => value(interval) ?? 0));
  const top = roundUp(Math.max(least(latest), ...values));
  const x = (at: number) => decimal(((at - from) / (to - from)) * drawing.width);
  const y = (value: number) => decimal(drawing.height * (1 - value / top));
  return {
    top: few(top),
    lines: lines.map(({ name, value }) => {
      const points = intervals.map((interval) => {
        const found = value(interval);
        return found === undefined ? undefined : `${x(interval.at)} ${y(found)}`;
      });
      const last = intervals.at(-1);
      const now = last && value(last);
      return { name, path: pathThrough(points), now: now === undefined ? '–' : few(now) };
    }),
  };
}

/** A missing point breaks the line; a single one is a dot, by the round line ends. */
function pathThrough(points: readonly (string | undefined)[]): string {
  return points
    .map((point, at) => {
      if (point === undefined) return '';
      if (at > 0 && points[at - 1] !== undefined) return `L${point}`;
      return points[at + 1] === undefined ? `M${point}h0` : `M${point}`;
    })
    .join('');
}

/** To 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((times) => times * power >= value) ?? 10) * power;
}

const decimal = (value: number) => Math.round(value * 10) / 10;
