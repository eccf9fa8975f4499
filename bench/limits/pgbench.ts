import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setMirrorText } from '@campaign-mirror/adapters-persistence';
import type { Seed } from '../databases/seed.ts';
import type { Address } from '../databases/server.ts';
import { setMirror } from '../floors/statements.ts';
import type { Cleanup } from '../processes/cleanup.ts';

/** A statement that PostgreSQL's own pgbench asks again and again, prepared, on so many connections at once. */
export interface PgbenchCase {
  readonly name: string;
  readonly connections: number;
  /** With `$1`, `$2` … */
  readonly text: string;
  /** For each of them the name of a variable. */
  readonly values: readonly string[];
  /** Whether it writes a row of history. */
  readonly isRecorded: boolean;
}

const constants = {
  address: 'https://mirror.example/landing?click={click_id}&n=1000000000',
  is_default: 'false',
  request: 'limits-by-pgbench',
  // In a statement pgbench takes what follows a colon for a variable, between quotes too.
  format: /'([^']*:[^']*)'/.exec(setMirror.text)?.[1] ?? '',
};

const commit = { text: 'update public.limits set n = n + 1 where id = 1', values: [], isRecorded: false };
const floor = {
  text: setMirror.text.replaceAll(`'${constants.format}'`, ':format'),
  values: ['campaign', 'owner', 'address'],
  isRecorded: false,
};
const ours = {
  text: setMirrorText,
  values: ['campaign', 'owner', 'is_default', 'address', 'owner', 'request'],
  isRecorded: true,
};

/** What the limits ask by `pg` too, as far as it is one statement. */
export const pgbenchCases: readonly PgbenchCase[] = [
  { name: 'the smallest commit, by pgbench', connections: 1, ...commit },
  { name: "the floor's update, by pgbench", connections: 1, ...floor },
  { name: 'our update, by pgbench', connections: 1, ...ours },
  { name: "the floor's update, by pgbench", connections: 10, ...floor },
  { name: 'our update, by pgbench', connections: 10, ...ours },
];

/** Such as `pgbench 15.18`; undefined where it is not installed. */
export function pgbenchVersion(): string | undefined {
  const { stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  const version = /^pgbench \(PostgreSQL\) ([0-9.]+)/.exec(stdout ?? '')?.[1];
  return version === undefined ? undefined : `pgbench ${version}`;
}

/** Statements that were carried out, and how many a second. @throws Error where one of them failed */
export async function pgbench(
  { connections, text, values }: PgbenchCase,
  seconds: number,
  { campaigns, keys }: Seed,
  { host, port, user, password, database }: Address,
  cleanup: Cleanup,
): Promise<{ statements: number; rate: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'script.sql');
  const statement = text.replaceAll(/\$([0-9]+)/g, (_, number) => `:${values[number - 1]}`);
  const drawn = `\\set campaign random(1, ${campaigns})\n\\set owner :campaign % ${keys.length} + 1\n`;
  await writeFile(script, `${drawn}${statement};\n`);
  const how = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--time=${seconds}`];
  const defined = Object.entries(constants).map(([name, value]) => `--define=${name}=${value}`);
  const where = [`--host=${host}`, `--port=${port}`, `--username=${user}`, database];
  const env = { PATH: process.env.PATH ?? '', PGPASSWORD: password };
  const running = promisify(execFile)('pgbench', [...how, ...defined, `--file=${script}`, ...where], { env });
  cleanup.add(async () => void running.child.kill());
  const { stdout, stderr } = await running;
  const after = (words: string) =>
    Number(new RegExp(`^${words}([0-9.]+)`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  const found = {
    statements: after('number of transactions actually processed: '),
    rate: after('tps = '),
  };
  if (after('number of failed transactions: ') === 0 && found.statements > 0 && found.rate > 0) return found;
  throw new Error(`pgbench did not carry out each statement:\n${stdout}${stderr}`);
}
