import type { Version } from '@campaign-mirror/adapters-http';
import type { Interval } from './intervals.ts';
import type { Moment } from './moment.ts';
import { few, outOf, whole } from './numbers.ts';
import type { Row } from './row.ts';

/** What runs, its present load, and what it has refused since it began. */
export function figures(
  { version, node, migration }: Version,
  latest: Moment | undefined,
  interval: Interval | undefined,
): Row[] {
  const rows: Row[] = [
    { cells: ['version', version] },
    { cells: ['Node', node] },
    { cells: ['newest migration', migration] },
  ];
  if (!latest) return rows;
  const { startedAt, inFlight, connections, overloads, memory, processes, workers, replacements } = latest;
  const silent = workers.get('silent') ?? 0;
  if (startedAt !== undefined) rows.push({ cells: ['runs since', minute(startedAt)] });
  if (workers.size > 0) {
    const [ready, wanted] = [workers.get('ready') ?? 0, workers.get('wanted') ?? 0];
    rows.push(
      { cells: ['workers ready', outOf(ready, wanted)], ...(ready < wanted && { bad: true }) },
      { cells: ['workers silent', whole(silent)], ...(silent > 0 && { bad: true }) },
      { cells: ['workers lost', whole(replacements.get('lost') ?? 0)] },
      { cells: ['workers relieved', whole(replacements.get('relieved') ?? 0)] },
    );
  } else {
    rows.push({ cells: ['processes that serve', whole(processes)] });
  }
  rows.push(
    { cells: ['requests in flight', outOf(inFlight.now, inFlight.limit)] },
    { cells: ['connections of callers', outOf(connections.now, connections.limit)] },
    { cells: ['refused for overload', whole(overloads)] },
    { cells: ['event loop busy', interval ? `${few(interval.busy * 100)} %` : '–'] },
    { cells: ['memory', `${few(memory / 2 ** 20)} MiB`] },
  );
  return rows;
}

const minute = (seconds: number) =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
