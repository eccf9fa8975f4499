import { median } from 'd3-array';
import type { Measured } from '../stage/measure.ts';
import type { OpenLoopFigures } from '../stage/open-loop-rounds.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { loadTable } from './load-table.ts';
import { number, table } from './table.ts';
import { trends } from './trends.ts';

/** All that a run has measured. */
export interface RunFigures {
  readonly machine: string;
  /** The load generator. */
  readonly generator: string;
  readonly loads: readonly LoadFigures[];
  readonly openLoop: readonly OpenLoopFigures[];
}

/** The tables, and what their columns mean. */
export function report({ loads, openLoop }: RunFigures): string {
  const parts = [loadTable(loads), openLoopTable(openLoop), trends(loads)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Empty when nothing was measured. */
function openLoopTable(figures: readonly OpenLoopFigures[]): string {
  if (figures.length === 0) return '';
  const rows = figures.map(({ contender, of, rate, rounds }) => {
    const middle = (figure: (measured: Measured) => number | undefined, decimals: number) =>
      number(median(rounds, figure), decimals);
    return {
      arrivals: of,
      service: contender,
      'a second': number(rate, 0),
      answered: middle((measured) => measured.rate, 0),
      'p50 ms': middle(({ p50 }) => p50, 2),
      'p99 ms': middle(({ p99 }) => p99, 2),
      'p99.9 ms': middle(({ p999 }) => p999, 2),
      'generator µs': middle(({ cpu }) => cpu.generator, 0),
    };
  });
  return `${table(rows)}\n\n${openLoopNotes}`;
}

const openLoopNotes = `Latency from the moment at which a request was due, whether or not a connection was free; arrivals are evenly
spaced, and sent within a millisecond. Medians of the rounds. This generator is ours (load/own-generator.ts), and takes
more of PostgreSQL's core than wrk does.`;
