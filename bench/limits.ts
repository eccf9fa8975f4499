import { parseArgs } from 'node:util';
import { openDatabases } from './databases/database.ts';
import { newKeys, type Seed, tidy } from './databases/seed.ts';
import { columns, number } from './figures/columns.ts';
import { limitCases, limitsTable } from './limits/cases.ts';
import { pgbenchCases, pgbenchVersion } from './limits/pgbench.ts';
import { type LimitFigures, measureByPgbench, measureLimit } from './limits/rounds.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { divideCores, moveTo } from './processes/cores.ts';
import { machine } from './processes/machine.ts';
import { wholeNumber } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';

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
    lines.push(line(one, await measureLimit(one, databases, seconds)));
  }
  const generator = pgbenchVersion();
  for (const one of generator ? pgbenchCases : []) {
    await tidy(databases.ours);
    lines.push(line(one, await measureByPgbench(one, databases, seed, seconds, cleanup)));
  }
  const headings = ['what', 'connections', 'turns/s', 'updates/s', 'PostgreSQL µs', 'driver µs'];
  console.log(`${columns(headings, lines)}\n\n${notes}\n\n${machine(databases.server, cores, {})}`);
  console.log(
    `${campaigns} campaigns; ${generator ?? 'pgbench is not installed, so nothing is measured by it'}`,
  );
  return 0;
}

function line({ name, connections }: { name: string; connections: number }, figures: LimitFigures): string[] {
  const { turns, updates, postgres, driver } = figures;
  const numbers = [turns, updates, postgres, driver].map((figure) => number(figure, 0));
  return [name, String(connections), ...numbers];
}

const notes = `A turn is a commit, and a flush of the WAL where the commit waits for the disk: on one connection the smallest
commit's turns are the flushes a second. CPU is microseconds an update. The driver, here in the service's place, is pg,
or pgbench, which comes with PostgreSQL and asks one statement alone.`;

function readWords(words: string[]): { seconds: number; campaigns: number } | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      seconds: { type: 'string', default: '5' },
      campaigns: { type: 'string', default: '100000' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  return {
    seconds: wholeNumber('--seconds', values.seconds, 1, 600),
    campaigns: wholeNumber('--campaigns', values.campaigns, 1_000, 5_000_000),
  };
}

const { seconds, campaigns } = wordsOf(usage, readWords);
await run((cleanup) => limits(seconds, campaigns, cleanup));
