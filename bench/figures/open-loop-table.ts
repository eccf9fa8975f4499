import type { Measured } from '../stage/measure.ts';
import type { OpenLoopFigures } from '../stage/open-loop-rounds.ts';
import { columns, number } from './columns.ts';
import { median } from './statistics.ts';

const headings = [
  'arrivals',
  'service',
  'a second',
  'answered',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
  'generator µs',
];

/** Empty when nothing was measured. */
export function openLoopTable(figures: readonly OpenLoopFigures[]): string {
  if (figures.length === 0) return '';
  const lines = figures.map(({ contender, of, rate, rounds }) => {
    const middle = (figure: (measured: Measured) => number | undefined, decimals: number) =>
      number(median(rounds.map(figure)), decimals);
    return [
      of,
      contender,
      number(rate, 0),
      middle((measured) => measured.rate, 0),
      middle(({ p50 }) => p50, 2),
      middle(({ p99 }) => p99, 2),
      middle(({ p999 }) => p999, 2),
      middle(({ cpu }) => cpu.generator, 0),
    ];
  });
  return `${columns(headings, lines)}\n\n${notes}`;
}

const notes = `Latency from the moment at which a request was due, whether or not a connection was free; arrivals are evenly
spaced, and sent within a millisecond. Medians of the rounds. This generator is ours (see open-loop.ts), and takes more
of PostgreSQL's core than wrk does.`;
