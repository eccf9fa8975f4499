import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError, orYourOwn } from './errors.ts';

/** The OS user that runs the database's programs, if it is not ours (PostgreSQL refuses to run as root). */
export interface OsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The OS user for the database; undefined means ours. For root it is the owner of an existing cluster, otherwise
 * `postgres` if the machine has it, otherwise `nobody`. @throws EmbeddedError where there is neither
 */
export async function databaseOsUser(pgdata: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(pgdata).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0)
    return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  for (const wanted of ['postgres', '_postgres', 'nobody']) {
    const [name, , uid, gid] = lines.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? [];
    if (name && uid && gid) return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new EmbeddedError(
    `The embedded database cannot run as root, and this machine has neither an OS user postgres nor nobody: run as an ordinary user, or ${orYourOwn}.`,
  );
}

/** The topmost folder on the path that the user cannot enter. The OS is asked, because modes are not the whole story. */
export async function barredFolder(folder: string, user: OsUser): Promise<string | undefined> {
  const path = [folder];
  for (let at = folder; at !== dirname(at); at = dirname(at)) path.unshift(dirname(at));
  const script = 'for one; do cd -- "$one" && continue; [ -d "$one" ] && printf %s "$one"; break; done';
  const { output } = await run('/bin/sh', ['-c', script, 'sh', ...path], user);
  return output || undefined;
}

/** The mode of a new folder: the database's OS user may pass through it, if it is another user. */
export const passageMode = (user: OsUser | undefined) => (user === undefined ? 0o700 : 0o711);

/** What every program of the database is started with. */
export function surroundings(user: OsUser | undefined) {
  return {
    // A folder that every OS user can enter; the current one may be closed to the database's user.
    cwd: '/',
    // Messages in English, because they are parsed; and none of our variables, which can contain secrets or PG* settings.
    env: { LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' },
    // Node takes signed numbers here: macOS' `nobody` is -2, which a file's owner shows as 4294967294.
    ...(user === undefined ? {} : { uid: user.uid | 0, gid: user.gid | 0 }),
  };
}

/** Runs a program to its end; never rejects. `errors` says why it could not be started, too. */
export function run(program: string, words: string[], user?: OsUser, input = '') {
  return new Promise<{ failed: boolean; output: string; errors: string }>((resolve) => {
    const { stdin } = execFile(program, words, surroundings(user), (error, output, errors) =>
      resolve({ failed: error !== null, output, errors: errors || (error?.message ?? '') }),
    );
    // The program may end before it has read its input: its exit code says what went wrong.
    stdin?.on('error', () => {}).end(input);
  });
}
