import { parseArgs } from 'node:util';
import type { Cleanup } from './cleanup.ts';
import { columns, number } from './columns.ts';
import { divideCores, moveTo } from './cores.ts';
import { type Databases, openDatabases } from './database.ts';
import { type LimitCase, limitCases, limitsTable } from './limit-cases.ts';
import { machine } from './machine.ts';
import { wholeNumber } from './options.ts';
import { cpuOfFamily } from './process-figures.ts';
import { run } from './run.ts';
import { newKeys, type Seed, tidy } from './seed.ts';

/** What PostgreSQL and the disk under it can do, asked without HTTP: `npm run bench:limits`. */
const usage = `npm run bench:limits -- [--seconds N] [--campaigns N]

  --seconds     how long each is asked, 1 to 600; else 5
  --campaigns   1,000 to 5,000,000; else 100,000`;

async function limits(seconds: number, campaigns: number, cleanup: Cleanup): Promise<number> {
  const cores = divideCores();
  const seed: Seed = { campaigns, keys: newKeys(1_000) };
  const databases = await openDatabases(seed, cleanup);
  // PostgreSQL stays on its core, and we do not take part of it.
  if (cores) moveTo(cores.service);
  await databases.ours.query(limitsTable);
  const lines: string[][] = [];
  for (const one of limitCases(seed)) {
    await tidy(databases.ours);
    lines.push(await measured(one, databases, seconds));
  }
  const headings = ['what', 'connections', 'turns/s', 'updates/s', 'PostgreSQL µs', 'driver µs'];
  console.log(`${columns(headings, lines)}\n\n${notes}\n\n${machine(databases.server, cores, {})}`);
  console.log(`${campaigns} campaigns`);
  return 0;
}

const notes = `A turn is a commit, and a flush of the WAL where the commit waits for the disk: on one connection the smallest
commit's turns are the flushes a second. CPU is microseconds an update. The driver, here in the service's place, is pg.`;

/** Each connection has its next turn as soon as the one before is over. */
async function measured(one: LimitCase, { ours, postmaster }: Databases, seconds: number): Promise<string[]> {
  const cpu = () => ({
    driver: process.cpuUsage(),
    postgres: postmaster === undefined ? undefined : cpuOfFamily(postmaster),
  });
  const turnsUntil = (end: number) =>
    Promise.all(
      Array.from({ length: one.connections }, () =>
        ours.session(async (client) => {
          if (one.first) await client.query(one.first);
          let turns = 0;
          for (; performance.now() < end; turns++) {
            const { rowCount } = await one.turn(client);
            if (rowCount !== one.updates) throw new Error(`${one.name} made ${rowCount} updates`);
          }
          return turns;
        }),
      ),
    );
  await turnsUntil(performance.now() + 1_000);
  const before = cpu();
  const begun = performance.now();
  const turns = (await turnsUntil(begun + seconds * 1_000)).reduce((sum, some) => sum + some, 0);
  const passed = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before.driver);
  const postgres = cpu().postgres;
  const updates = turns * one.updates;
  const each =
    postgres === undefined || before.postgres === undefined
      ? undefined
      : (postgres - before.postgres) / updates;
  return [
    one.name,
    String(one.connections),
    number(turns / passed, 0),
    number(updates / passed, 0),
    number(each, 0),
    number((user + system) / updates, 0),
  ];
}

const options = {
  seconds: { type: 'string' },
  campaigns: { type: 'string' },
  help: { type: 'boolean' },
} as const;
let words: { seconds: number; campaigns: number } | undefined;
try {
  const { values } = parseArgs({ options });
  if (!values.help) {
    words = {
      seconds: wholeNumber('--seconds', values.seconds ?? '5', 1, 600),
      campaigns: wholeNumber('--campaigns', values.campaigns ?? '100000', 1_000, 5_000_000),
    };
  }
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
}
if (!words) {
  console.log(usage);
  process.exit(0);
}
const { seconds, campaigns } = words;
await run((cleanup) => limits(seconds, campaigns, cleanup));
