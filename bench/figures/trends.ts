import { median } from 'd3-array';
import type { Measured } from '../stage/measure.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { number, table } from './table.ts';

/** Rounds from which on their first and last third say something. */
const enough = 9;

/** What the first third of the rounds and the last had, where there are enough of them; else empty. */
export function trends(loads: readonly LoadFigures[]): string {
  const rows = loads.flatMap(({ load, rounds }) =>
    Object.entries(rounds)
      .filter(([, measured]) => measured.length >= enough)
      .map(([service, measured]) => ({ load: load.name, service, ...growth(measured) })),
  );
  return rows.length === 0
    ? ''
    : `Growth, medians of the first and the last third of the rounds:\n${table(rows)}`;
}

function growth(rounds: readonly Measured[]): Record<string, string> {
  const third = Math.floor(rounds.length / 3);
  const both = (figure: (measured: Measured) => number | undefined, decimals: number) =>
    [rounds.slice(0, third), rounds.slice(-third)]
      .map((part) => number(median(part, figure), decimals))
      .join(' to ');
  return {
    MB: both(({ memory }) => memory, 0),
    'p99 ms': both(({ p99 }) => p99, 2),
    'req/s': both(({ rate }) => rate, 0),
  };
}
