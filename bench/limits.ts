import { openDatabases } from './databases/database.ts';
import { newKeys, tidy } from './databases/seed.ts';
import { number, table } from './figures/table.ts';
import { casesByPg, limitsTable } from './limits/by-pg.ts';
import { casesByPgbench, pgbenchVersion } from './limits/by-pgbench.ts';
import { measureLimit } from './limits/rounds.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { divideCores, moveTo } from './processes/cores.ts';
import { placed } from './processes/machine.ts';
import { run } from './processes/run.ts';

const notes = `A turn is a commit, and a flush of the WAL where the commit waits for the disk: on one connection the smallest
commit's turns are the flushes a second. CPU is microseconds an update. The driver, here in the service's place, is pg,
or pgbench, which comes with PostgreSQL and asks one statement alone.`;

const { seconds, campaigns } = commandLine(
  'bench:limits',
  'Measures what PostgreSQL and the disk under it can do, asked without HTTP.',
)
  .option('--seconds <N>', 'how long each is asked', wholeNumber(1, 600), 5)
  .option('--campaigns <N>', 'how many there are', wholeNumber(1_000, 5_000_000), 100_000)
  .parse()
  .opts();

await run(async (cleanup) => {
  const cores = divideCores();
  const filling = { campaigns, keys: newKeys(1_000) };
  const databases = await openDatabases({ filling }, cleanup);
  const database = databases.first;
  // PostgreSQL stays on its core, and we do not take part of it.
  if (cores) moveTo(cores.service);
  await database.query(limitsTable);
  const generator = pgbenchVersion();
  const further = generator ? await casesByPgbench(database, filling, cleanup) : [];
  const rows: Record<string, string>[] = [];
  for (const one of [...casesByPg(database, filling), ...further]) {
    await tidy(database);
    const { turns, updates, postgres, driver } = await measureLimit(one, databases, seconds);
    rows.push({
      what: one.what,
      connections: String(one.connections),
      'turns/s': number(turns, 0),
      'updates/s': number(updates, 0),
      'PostgreSQL µs': number(postgres, 0),
      'driver µs': number(driver, 0),
    });
  }
  console.log(`${table(rows)}\n\n${notes}\n\n${placed(databases.server, cores)}`);
  console.log(
    `${campaigns} campaigns; ${generator ?? 'pgbench is not installed, so nothing is measured by it'}`,
  );
  return [];
});
