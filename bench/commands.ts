import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbeddedDatabase } from '../packages/app/src/embedded/database.ts';
import { describe, openServer, query } from './databases/server.ts';
import { machine } from './figures/report.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { run } from './processes/run.ts';
import { noWords, wordsOf } from './processes/words.ts';

const launcher = fileURLToPath(new URL('../campaign-mirror', import.meta.url));
const usage = `npm run bench:commands

  how long operators' commands take, on a PostgreSQL of one's own and on the embedded one`;

/** How long a command may take with the database up on a warm machine, in milliseconds. */
const bound = 600;
const runs = 10;

const commands: readonly string[] = [
  '--help',
  'completion bash',
  'campaign create --owner 42',
  'campaign list --owner 1',
  'campaign show 1',
  'mirror show 1',
  'mirror history 1',
  'key issue --owner 42 --name bench',
  'key list --owner 1',
  'audit --limit 20',
  'migrate --status',
  'doctor',
];

type Environment = Readonly<Record<string, string>>;

async function timed(call: string, environment: Environment): Promise<number> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  const begun = performance.now();
  await promisify(execFile)(launcher, call.split(' '), { env });
  return performance.now() - begun;
}

/** In milliseconds, of so many runs behind one that warms up. */
async function median(call: string, environment: Environment): Promise<number> {
  const times: number[] = [];
  for (let made = 0; made <= runs; made++) times.push(await timed(call, environment));
  return times.slice(1).sort((one, other) => one - other)[runs / 2] as number;
}

async function ownDatabase(cleanup: Cleanup): Promise<{ environment: Environment; server: string }> {
  const admin = await openServer(cleanup);
  const name = `campaign_mirror_bench_commands_${randomBytes(4).toString('hex')}`;
  cleanup.add(() => query(admin, `drop database if exists ${name} with (force)`));
  await query(admin, `create database ${name}`);
  const user = `${encodeURIComponent(admin.user)}:${encodeURIComponent(admin.password)}`;
  const environment = { DATABASE_URL: `postgres://${user}@${admin.host}:${admin.port}/${name}` };
  await timed('migrate', environment);
  return { environment, server: await describe(admin) };
}

/** It runs, since this process is a member of it. */
async function embeddedDatabase(cleanup: Cleanup): Promise<Environment> {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  await chmod(parent, 0o711);
  const folder = join(parent, 'data');
  const database = await openEmbeddedDatabase({ folder });
  cleanup.add(async () => {
    await database.leave();
    await rm(parent, { recursive: true, force: true });
  });
  return { DATA_DIR: folder };
}

async function measure(cleanup: Cleanup): Promise<number> {
  const { environment: own, server } = await ownDatabase(cleanup);
  const embedded = await embeddedDatabase(cleanup);
  for (const environment of [own, embedded]) {
    await timed('campaign create --owner 1', environment);
    await timed('mirror create 1 --target-url https://first.example/', environment);
    await timed('key issue --owner 1 --name bench', environment);
  }
  console.log(`median of ${runs} runs, in ms; ${machine(server, undefined, {}).split('\n')[0]}\n`);
  console.log(`${'command'.padEnd(36)}${'your PostgreSQL'.padStart(16)}${'embedded'.padStart(10)}`);
  let slowest = 0;
  for (const call of commands) {
    const [first, second] = [await median(call, own), await median(call, embedded)];
    slowest = Math.max(slowest, first, second);
    console.log(`${call.padEnd(36)}${first.toFixed(0).padStart(16)}${second.toFixed(0).padStart(10)}`);
  }
  console.log(`\nslowest ${slowest.toFixed(0)} ms, at most ${bound} are meant`);
  return slowest <= bound ? 0 : 1;
}

wordsOf(usage, noWords);
await run(measure);
