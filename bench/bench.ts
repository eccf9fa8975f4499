import { writeFile } from 'node:fs/promises';
import { Option } from '@commander-js/extra-typings';
import { sum } from 'd3-array';
import { serverNote } from './databases/server.ts';
import { type RunFigures, report } from './figures/report.ts';
import { loadOf } from './load/load.ts';
import { commandLine, setting, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { finalFaults, openBench } from './stage/bench.ts';
import { isPeer, startAll } from './stage/line-up.ts';
import { measureOpenLoop } from './stage/open-loop-rounds.ts';
import { type LoadFigures, measureLoad } from './stage/rounds.ts';

const loadsOf = (text: string) => [...new Set(text.split(','))].map(loadOf);
const full = '64,256,hot,mixed,1';
/**
 * Node compiles what has run often, which takes a service tens of thousands of requests. So one connection comes last:
 * it asks too little for that.
 */
const quick = { loads: loadsOf('64,hot,1'), rounds: 3, seconds: 3, warmUp: 2, campaigns: 10_000 };

const chosen = commandLine(
  'bench',
  'Measures our service against a floor and others, and checks answers and history.',
)
  .addOption(
    new Option(
      '--quick',
      '10,000 campaigns, the loads 64, hot and 1, 3 rounds of 3 s; under two minutes',
    ).implies({
      ...quick,
      peers: false,
      openLoop: false,
    }),
  )
  .addOption(
    new Option(
      '--loads <LOADS>',
      'in this order, with commas: numbers of connections, 1 to 1024, each with one request at a time; hot: 64, all on one campaign; mixed: 64, 60 % good, 20 % 401, 10 % 403, 5 % 404, 5 % 422',
    )
      .argParser(loadsOf)
      .default(loadsOf(full), full),
  )
  .option('--rounds <N>', 'rounds of each service for each load', wholeNumber(1, 100), 5)
  .option('--seconds <N>', 'length of a round', wholeNumber(1, 3_600), 10)
  .option('--warm-up <N>', 'length of the warm-up before the rounds of a load', wholeNumber(1, 3_600), 20)
  .option('--campaigns <N>', 'how many there are', wholeNumber(1_000, 5_000_000), 100_000)
  .option('--owners <N>', 'how many they belong to, each with a key', wholeNumber(1, 5_000_000), 1_000)
  .option('--no-floor', 'measures no floor')
  .option(
    '--batched',
    'measures the floor with our persistence adapter: what batches give where nothing else is added',
  )
  .option(
    '--peers',
    'measures Fastify + pg, Koa + pg, Koa + MikroORM (as documented, and tuned) too, with 64 connections',
    true,
  )
  .option('--no-peers', 'or not')
  .option('--open-loop', 'latency at fixed rates of arrivals too: 50 % and 80 % of the highest rates', true)
  .option('--no-open-loop', 'or not')
  .option(
    '--new-segments',
    'PostgreSQL makes the segments of its WAL within the rounds, as a new one does, which stops all commits each time; one that has been at work for a while has them, and so has the one of the run',
  )
  .option('--json <FILE>', 'writes the figures of every round to this file too')
  .option('--profile <FOLDER>', 'writes a CPU profile of our service into this folder')
  .option(
    '--processes <N>',
    'measures the floor and ours as so many processes on one port too, on all cores',
    wholeNumber(2, 64),
  )
  .option('--set <NAME=VALUE>', 'runs our service with this setting, such as LOG_LEVEL=silent', setting)
  .addHelpText('after', `\n${serverNote} From 9 rounds on their first third is set beside the last.`)
  .parse()
  .opts();

await run(async (cleanup) => {
  const { loads, json, processes, campaigns, owners, newSegments, set: settings } = chosen;
  const isShared = processes !== undefined;
  const bench = await openBench({ campaigns, owners, newSegments, isShared, settings }, cleanup);
  const contenders = await startAll(chosen, bench, cleanup);
  const floor = contenders.find(({ name }) => name === 'floor');
  const ours = contenders.find(({ name }) => name === 'ours');

  const measured: LoadFigures[] = [];
  for (const load of loads) {
    const present = contenders.filter(({ name }) => load.name === '64' || !isPeer(name));
    measured.push(await measureLoad(present, load, chosen, bench));
  }
  const isOpen = chosen.openLoop && floor && ours;
  const openLoop = isOpen ? await measureOpenLoop(floor, ours, measured, chosen, bench) : [];
  const faults = await finalFaults(bench, contenders);
  const figures: RunFigures = {
    machine: bench.where,
    generator: bench.generator.name,
    loads: measured,
    openLoop,
  };
  console.log(`\n${report(figures)}\n\n${bench.where}`);
  if (json)
    await writeFile(json, `${JSON.stringify({ ...figures, options: chosen, faults }, undefined, 2)}\n`);
  if (faults.length === 0) {
    const recorded = sum([...bench.updates], ([name, { answered }]) =>
      name.startsWith('ours') ? answered : 0,
    );
    console.log(`\n${recorded} updates of ours, all recorded, no chain broken`);
  }
  return faults;
});
