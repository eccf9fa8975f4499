import type { OpenLoopFigures } from '../stage/open-loop-rounds.ts';
import type { LoadFigures } from '../stage/rounds.ts';
import { loadTable, loadTableNotes } from './load-table.ts';
import { openLoopTable } from './open-loop-table.ts';
import { trends } from './trends.ts';

export { machine } from '../processes/machine.ts';

/** All that a run has measured. */
export interface RunFigures {
  readonly machine: string;
  /** The load generator, and how many requests a second it reaches against a server that answers at once. */
  readonly generator: { readonly name: string; readonly ceiling: number };
  readonly loads: readonly LoadFigures[];
  readonly openLoop: readonly OpenLoopFigures[];
}

/** The tables, and what their columns mean. */
export function report({ generator, loads, openLoop }: RunFigures): string {
  const fastest = Math.max(
    ...loads.flatMap(({ rounds }) => Object.values(rounds).flat()).map(({ rate }) => rate),
  );
  const parts = [
    loadTable(loads),
    loadTableNotes,
    openLoopTable(openLoop),
    trends(loads),
    `${generator.name} reaches ${generator.ceiling.toFixed(0)} requests a second against a server that answers at once; the fastest round here had ${fastest.toFixed(0)}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
