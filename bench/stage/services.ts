import { loadTable } from '../figures/load-table.ts';
import type { Cleanup } from '../machine/run.ts';
import { finalFaults, type Options, openBench } from './bench.ts';
import { startOther, startOurs } from './contenders.ts';
import { type LoadFigures, measureLoad } from './rounds.ts';

/** Ours beside the floor, and beside what the frameworks alone give. */
export async function services(options: Options & { readonly peer: boolean }, cleanup: Cleanup) {
  const { set: settings } = options;
  const bench = await openBench(options, cleanup);
  const main = [await startOther('floor', bench), await startOurs(bench, { settings })];
  const peer = options.peer ? [await startOther('mikro-orm', bench)] : [];
  const measured: LoadFigures[] = [];
  for (const load of options.loads) {
    const present = load.name === '64' ? [...main, ...peer] : main;
    measured.push(await measureLoad(present, load, options, bench));
  }
  const faults = await finalFaults(bench);
  console.log(`\n${loadTable(measured)}\n\n${bench.where}`);
  return faults;
}
