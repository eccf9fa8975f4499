import { writeFile } from 'node:fs/promises';
import { historyFaults } from './databases/check-history.ts';
import { plot } from './figures/plot.ts';
import { type RunFigures, report } from './figures/report.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { type Options, readOptions, usage } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';
import { measureOpenLoop } from './stage/open-loop-rounds.ts';
import { type LoadFigures, measureLoad } from './stage/rounds.ts';
import { openStage } from './stage/stage.ts';

/** Measures our service against the floor and others. Ends with 1 when an answer or the history is wrong. */
async function bench(options: Options, cleanup: Cleanup): Promise<number> {
  const { where, ceiling, bench, floor, betterFloors, ours, peers, several } = await openStage(
    options,
    cleanup,
  );
  const loads: LoadFigures[] = [];
  for (const load of options.loads) {
    const floors = options.floor ? [floor, ...(several ? [several.floor] : [])] : [];
    const oursToo = several ? [several.ours] : [];
    const contenders = [...floors, ...betterFloors, ours, ...oursToo, ...(load.name === '64' ? peers : [])];
    loads.push(await measureLoad(contenders, load, options, bench));
  }
  const openLoop = options.openLoop ? await measureOpenLoop(floor, ours, loads, options, bench) : [];
  const generator = { name: bench.generator.name, ceiling };
  const figures: RunFigures = { machine: where, generator, loads, openLoop };

  const faults = [...bench.ledger.faults, ...generatorFaults(figures)];
  let recorded = 0;
  const own = several ? [ours, several.ours] : [ours];
  for (const one of [...own, ...betterFloors]) {
    // What the last round's end cut off is done when the service has ended.
    await one.end();
    const updates = bench.ledger.updatesOf(one.name);
    if (own.includes(one)) recorded += updates.answered;
    faults.push(...(await historyFaults(one.database, updates)).map((fault) => `${one.name}: ${fault}`));
  }
  console.log(`\n${report(figures)}\n\n${where}`);
  if (options.json) {
    await writeFile(options.json, `${JSON.stringify({ ...figures, options, faults }, undefined, 2)}\n`);
  }
  if (options.plot) await writeFile(options.plot, plot(figures.loads));
  if (faults.length === 0) console.log(`\n${recorded} updates of ours, all recorded, no chain broken`);
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function generatorFaults({ generator: { name, ceiling }, loads }: RunFigures): string[] {
  const all = loads.flatMap(({ rounds }) => Object.values(rounds).flat());
  const fastest = Math.max(...all.map(({ rate }) => rate));
  if (fastest < ceiling) return [];
  return [
    `${name} can not see more than ${ceiling.toFixed(0)} requests a second, and saw ${fastest.toFixed(0)}`,
  ];
}

const chosen = wordsOf(usage, readOptions);
await run((cleanup) => bench(chosen, cleanup));
