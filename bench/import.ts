import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { migrate } from '@campaign-mirror/adapters-persistence';
import { campaignFields } from '@campaign-mirror/domain';
import { type Address, createLogin, describe, openServer, query } from './databases/server.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { measuredCommand } from './processes/measured-command.ts';
import { wholeNumber } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';

const usage = `npm run bench:import -- [--rows N]...

  --rows   how many campaigns, each with a mirror; 100000, then 1000000, without it

Measures import, export, backup and restore, each by its command, in a process of its own.
BENCH_DATABASE_URL, of a superuser, names the PostgreSQL to use; without it one is brought up for the run.`;

/** Campaigns as a spreadsheet has them, some with quotation marks. */
async function writeCsv(path: string, rows: number): Promise<void> {
  const time = '2026-11-20T15:36:00.123456Z';
  function* lines() {
    yield `${campaignFields.join(',')}\n`;
    for (let n = 1; n <= rows; n++) {
      const address = `https://landing-${n % 90}.example/${n}?click={click_id}&sub=[sub]`;
      const mirror = [n, address, n % 1000, true, time, time, time];
      yield `${[n, `"Campaign ""${n}"""`, (n % 1000) + 1, false, time, ...mirror].join(',')}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

/** An empty database that is up to date, and where the operator reaches it. */
async function emptyDatabase(server: Address, cleanup: Cleanup): Promise<string> {
  const { user, password } = await createLogin(server, 'operator', cleanup);
  const database = `campaign_mirror_bench_data_${randomBytes(4).toString('hex')}`;
  await query(server, `create database ${database}`);
  cleanup.add(() => query(server, `drop database if exists ${database} with (force)`));
  await migrate({ ...server, database });
  return `postgres://${user}:${password}@${server.host}:${server.port}/${database}`;
}

async function measure(server: Address, rows: number, folder: string, cleanup: Cleanup): Promise<void> {
  const file = (name: string) => join(folder, `${rows}.${name}`);
  await writeCsv(file('csv'), rows);
  const [first, second] = [await emptyDatabase(server, cleanup), await emptyDatabase(server, cleanup)];
  const steps: [words: string[], url: string, file: string][] = [
    [['import', file('csv')], first, file('csv')],
    [['export', file('exported')], first, file('exported')],
    [['backup', file('backup')], first, file('backup')],
    [['restore', file('backup')], second, file('backup')],
  ];
  console.log(`\n${rows} campaigns, each with a mirror`);
  for (const [words, url, moved] of steps) {
    const { seconds, peak } = await measuredCommand(words, url, cleanup);
    const size = ((await stat(moved)).size / 2 ** 20).toFixed(0);
    const rate = (rows / seconds).toFixed(0);
    console.log(
      `${words[0]}: ${seconds.toFixed(1)} s, ${rate} campaigns a second, ${peak.toFixed(0)} MB at most, a file of ${size} MB`,
    );
  }
}

function readWords(words: string[]): readonly number[] | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      rows: { type: 'string', multiple: true, default: ['100000', '1000000'] },
      help: { type: 'boolean' },
    },
  });
  return values.help ? undefined : values.rows.map((rows) => wholeNumber('--rows', rows, 1, 100_000_000));
}

async function measureAll(sizes: readonly number[], cleanup: Cleanup): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const server = await openServer(cleanup);
  console.log(`${cpus().length} cores, Node ${process.version}; ${await describe(server)}`);
  for (const rows of sizes) await measure(server, rows, folder, cleanup);
  return 0;
}

const sizes = wordsOf(usage, readWords);
await run((cleanup) => measureAll(sizes, cleanup));
