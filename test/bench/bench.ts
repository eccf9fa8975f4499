import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../packages/app/src/embedded/port.ts';
import { historyFaults } from './check-history.ts';
import { Cleanup } from './cleanup.ts';
import { type Cores, divideCores } from './cores.ts';
import { openDatabases } from './database.ts';
import { type Options, readOptions, usage } from './options.ts';
import { startLoadGenerator, startService } from './processes.ts';
import { machine, table } from './report.ts';
import { measureAll } from './rounds.ts';
import { newKeys } from './seed.ts';

/** Measures our service against the floor. Ends with 1 when anything but 200 was answered or the history is wrong. */
async function bench(options: Options, cleanup: Cleanup): Promise<number> {
  const cores = divideCores();
  const filling = { campaigns: options.campaigns, keys: newKeys(options.owners) };
  const databases = await openDatabases(filling, cleanup);
  const where = machine(databases.server, cores, options.settings);
  console.error(`${where}\n${options.campaigns} campaigns of ${options.owners} owners\n`);
  const generator = startLoadGenerator(filling, cleanup);
  const contenders = {
    floor: { ...(await startFloor(databases.floor.url, cores, cleanup)), database: databases.floor },
    ours: { ...(await startOurs(databases.ours.url, options, cores, cleanup)), database: databases.ours },
  };
  const figures = await measureAll(contenders, generator, databases.postmaster, options);
  const faults = [...figures.faults, ...(await historyFaults(databases.ours, figures.set.ours))];

  console.log(`\n${table(figures.loads)}\n\n${where}`);
  if (options.json) {
    const text = JSON.stringify({ machine: where, options, ...figures, faults }, undefined, 2);
    await writeFile(options.json, `${text}\n`);
  }
  if (faults.length === 0)
    console.log(`\n${figures.set.ours} answers of 200, as many rows of history, no chain broken`);
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function startFloor(url: string, cores: Cores | undefined, cleanup: Cleanup) {
  const program = { script: 'floor.ts', port: await freePort(), environment: { DATABASE_URL: url } };
  return startService(program, cores, cleanup);
}

/** As `npm start` does it, with the default settings but for those of the command line. */
async function startOurs(
  url: string,
  { profile, settings }: Options,
  cores: Cores | undefined,
  cleanup: Cleanup,
) {
  const program = {
    script: '../../packages/app/src/main.ts',
    port: await freePort(),
    environment: {
      ...settings,
      DATABASE_URL: url,
      RUN_MIGRATIONS: 'false',
      OPS_PORT: String(await freePort()),
    },
    nodeOptions: ['--disable-sigusr1', ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  };
  return startService(program, cores, cleanup);
}

/** Resolves on the first Ctrl-C. npm hands it on a second time, and the cleaning takes a moment: more say nothing new. */
function interrupted(): Promise<number> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  });
}

let options: Options | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
}
if (!options) {
  console.log(usage);
  process.exit(0);
}
const cleanup = new Cleanup();
const running = bench(options, cleanup).catch((error) => {
  if (!cleanup.begun) console.error(error);
  return 1;
});
const code = await Promise.race([running, interrupted()]);
await cleanup.run();
// After Ctrl-C what was just being made is taken back too.
await Promise.race([running, pause(30_000, undefined, { ref: false })]);
await cleanup.run();
process.exit(code);
