import type { Measured } from '../stage/measure.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { columns, number } from './columns.ts';
import { median, ratioOf } from './statistics.ts';

const headings = [
  'load',
  'service',
  'req/s',
  'ratio (min-max)',
  'quartiles',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'PostgreSQL µs',
  'generator µs',
  'MB',
  'transactions',
  'commits',
  'WAL bytes',
  'whole pages',
  'HOT',
];

/** A line for each load and service: medians over the rounds, and sums over them of what the database counts. */
export function loadTable(loads: readonly LoadFigures[]): string {
  const lines = loads.flatMap((load) => Object.keys(load.rounds).map((name) => line(load, name)));
  return columns(headings, lines);
}

export const loadTableNotes = `req/s, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, the least and greatest of them, and their quartiles.
MB: resident memory of the service after the load, of several processes their sum. PostgreSQL's CPU can be told where it runs on this Linux machine.
transactions: an answer, whether they write or not; a statement is one here. commits: transactions that write, an
update. WAL bytes: an update, with the pages (8 kB) that are written whole the first time they change after a
checkpoint; there is one before the warm-up of a load, and none in its rounds; whole pages: of these, an update. HOT: part of the changed mirrors that needed no new entry in an index.
wrk's p50 and p99 count what a connection that waited for long could have asked meanwhile, by the mean interval.
The floor answers 403 where the campaign is missing: its two statements can not tell.`;

function line({ load, rounds: all, before }: LoadFigures, name: string): string[] {
  const rounds = all[name] ?? [];
  const of = (figure: (measured: Measured) => number | undefined, decimals = 0) =>
    number(median(rounds.map(figure)), decimals);
  const sum = (figure: (measured: Measured) => number, over = rounds) =>
    over.reduce((total, measured) => total + figure(measured), 0);
  const updates = sum((measured) => measured.updates);
  const written = updates + sum((measured) => measured.cutOff);
  // These counters are a second late, all alike: they are set against each other, with the warm-up, not against answers.
  const late = [...(before[name] ? [before[name]] : []), ...rounds];
  const counted = (which: 'changed' | 'changedInPlace' | 'recorded' | 'transactions') =>
    sum(({ database }) => database[which], late);
  const changes = counted('recorded') || counted('changed');
  const goodPart = updates / sum((measured) => measured.requests);
  return [
    load.name,
    name,
    of(({ rate }) => rate),
    ...(name === 'floor' ? ['', ''] : ratio(rounds, all.floor ?? [])),
    of(({ p50 }) => p50, 2),
    of(({ p99 }) => p99, 2),
    of(({ cpu }) => cpu.service),
    of(({ cpu }) => cpu.postgres),
    of(({ cpu }) => cpu.generator),
    number(rounds.at(-1)?.memory, 0),
    number((counted('transactions') / changes) * goodPart, 2),
    number(sum(({ database }) => database.commits) / written, 3),
    number(sum(({ database }) => database.wal) / written, 0),
    number(sum(({ database }) => database.wholePages) / written, 3),
    `${number((counted('changedInPlace') / counted('changed')) * 100, 0)} %`,
  ];
}

function ratio(rounds: readonly Measured[], floor: readonly Measured[]): [string, string] {
  const { median, least, greatest, quartiles } = ratioOf(rounds, floor);
  const spread = (low: number, high: number) => `${number(low, 2)}-${number(high, 2)}`;
  return [`${number(median, 2)} (${spread(least, greatest)})`, spread(...quartiles)];
}
