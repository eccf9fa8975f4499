import { median, sum } from 'd3-array';
import type { Measured } from '../stage/measure.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { ratioOf } from './statistics.ts';
import { number, table } from './table.ts';

/** A line for each load and service: medians over the rounds, and sums over them of what the database counts. */
export function loadTable(loads: readonly LoadFigures[]): string {
  return `${table(loads.flatMap((load) => Object.keys(load.rounds).map((name) => row(load, name))))}\n\n${notes}`;
}

const notes = `req/s, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: to the floor, the median of the pairs of neighbouring rounds, the least and greatest of them, and their quartiles.
MB: resident memory of the service after the load, of several processes their sum. PostgreSQL's CPU can be told where it runs on this Linux machine.
transactions: an answer, whether they write or not; a statement is one here. commits: transactions that write, an
update. WAL bytes: an update, with the pages (8 kB) that are written whole the first time they change after a
checkpoint; there is one before the warm-up of a load, and none in its rounds; whole pages: of these, an update. HOT: part of the changed mirrors that needed no new entry in an index.
wrk's p50 and p99 count what a connection that waited for long could have asked meanwhile, by the mean interval.
The floor answers 403 where the campaign is missing: its two statements cannot tell.`;

function row({ load, rounds: all, before }: LoadFigures, name: string): Record<string, string> {
  const rounds = all[name] ?? [];
  const of = (figure: (measured: Measured) => number | undefined, decimals = 0) =>
    number(median(rounds, figure), decimals);
  const updates = sum(rounds, (measured) => measured.updates);
  const written = updates + sum(rounds, (measured) => measured.cutOff);
  const anUpdate = (which: 'commits' | 'wal' | 'wholePages', decimals: number) =>
    number(sum(rounds, ({ database }) => database[which]) / written, decimals);
  // These counters are a second late, all alike: they are set against each other, with the warm-up, not against answers.
  const late = [...(before[name] ? [before[name]] : []), ...rounds];
  const counted = (which: 'changed' | 'changedInPlace' | 'recorded' | 'transactions') =>
    sum(late, ({ database }) => database[which]);
  const changes = counted('recorded') || counted('changed');
  const goodPart = updates / sum(rounds, (measured) => measured.requests);
  const ratio = ratioOf(name === 'floor' ? [] : rounds, all.floor ?? []);
  const isRatio = !Number.isNaN(ratio.median);
  const spread = (low: number, high: number) => `${number(low, 2)}-${number(high, 2)}`;
  return {
    load: load.name,
    service: name,
    'req/s': of(({ rate }) => rate),
    'ratio (min-max)': isRatio ? `${number(ratio.median, 2)} (${spread(ratio.least, ratio.greatest)})` : '',
    quartiles: isRatio ? spread(...ratio.quartiles) : '',
    'p50 ms': of(({ p50 }) => p50, 2),
    'p99 ms': of(({ p99 }) => p99, 2),
    'CPU µs': of(({ cpu }) => cpu.service),
    'PostgreSQL µs': of(({ cpu }) => cpu.postgres),
    'generator µs': of(({ cpu }) => cpu.generator),
    MB: number(rounds.at(-1)?.memory, 0),
    transactions: number((counted('transactions') / changes) * goodPart, 2),
    commits: anUpdate('commits', 3),
    'WAL bytes': anUpdate('wal', 0),
    'whole pages': anUpdate('wholePages', 3),
    HOT: `${number((counted('changedInPlace') / counted('changed')) * 100, 0)} %`,
  };
}
