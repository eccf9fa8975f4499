import { median } from 'd3-array';
import type { Measured } from '../stage/measure.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { number, ratiosOf, spread, table } from './statistics.ts';

const notes = `Requests a second, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, and their quartiles.
wrk's p99 counts what a connection that waited for long could have asked meanwhile.`;

/** A line for each load and service. */
export function loadTable(loads: readonly LoadFigures[]): string {
  return `${table(loads.flatMap((load) => Object.keys(load.rounds).map((name) => row(load, name))))}\n\n${notes}`;
}

function row({ load, rounds: all }: LoadFigures, name: string): Record<string, string> {
  const rounds = all[name] ?? [];
  const of = (figure: (measured: Measured) => number, decimals = 0) =>
    number(median(rounds, figure), decimals);
  return {
    load: load.name,
    service: name,
    'requests/s': of(({ rate }) => rate),
    'ratio (quartiles)': name === 'floor' ? '' : spread(ratiosOf(rounds, all.floor ?? []), 2),
    'p99 ms': of(({ p99 }) => p99, 2),
    'CPU µs': of(({ cpu }) => cpu.service),
    'PostgreSQL µs': of(({ cpu }) => cpu.postgres),
    MB: number(rounds.at(-1)?.memory, 0),
    'WAL bytes an update': of(({ wal }) => wal),
  };
}
