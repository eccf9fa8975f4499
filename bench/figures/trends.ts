import type { Measured } from '../stage/measure.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { columns, number } from './columns.ts';
import { median } from './statistics.ts';

/** Rounds from which on their first and last third say something. */
const enough = 9;

/** What the first third of the rounds and the last had, where there are enough of them; else empty. */
export function trends(loads: readonly LoadFigures[]): string {
  const lines = loads.flatMap(({ load, rounds }) =>
    Object.entries(rounds)
      .filter(([, measured]) => measured.length >= enough)
      .map(([name, measured]) => [load.name, name, ...growth(measured)]),
  );
  if (lines.length === 0) return '';
  const headings = [
    'load',
    'service',
    'MB: first third',
    'last',
    'p99 ms: first third',
    'last',
    'req/s: first third',
    'last',
  ];
  return `Growth, medians of the first and the last third of the rounds:\n${columns(headings, lines)}`;
}

function growth(rounds: readonly Measured[]): string[] {
  const third = Math.floor(rounds.length / 3);
  const both = (figure: (measured: Measured) => number | undefined, decimals: number) =>
    [rounds.slice(0, third), rounds.slice(-third)].map((part) => number(median(part.map(figure)), decimals));
  return [...both(({ memory }) => memory, 0), ...both(({ p99 }) => p99, 2), ...both(({ rate }) => rate, 0)];
}
