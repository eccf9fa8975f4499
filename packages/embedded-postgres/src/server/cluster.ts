import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { advice, EmbeddedError } from './errors.ts';
import { databaseOsUser, type OsUser, passageMode } from './programs.ts';

/** Creates the folder and missing parents with this mode, and keeps others. Node's `recursive` never ends in /proc. */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  const exists = async () => (await stat(folder).catch(() => undefined))?.isDirectory();
  if (await exists()) return;
  await makeFolders(dirname(folder), mode);
  try {
    await mkdir(folder, mode);
    // The umask reduces the mode given to mkdir; this sets the intended one.
    await chmod(folder, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!(await exists())) throw error;
  }
}

/**
 * Refuses a path with a symbolic link of another user in a folder that everyone can write to: a program that follows it
 * writes where that user wants. Linux itself refuses such a link if `fs.protected_symlinks` is set. @throws EmbeddedError
 */
export async function expectNoPlantedLink(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined);
  const parent = await lstat(dirname(path)).catch(() => undefined);
  const isShared = parent !== undefined && (parent.mode & 0o1002) === 0o1002;
  if (file?.isSymbolicLink() && isShared && file.uid !== process.getuid?.() && file.uid !== parent.uid)
    throw new EmbeddedError(
      `The symbolic link ${path} belongs to another user, in a folder where everybody may write, and is not followed: ${advice.otherFolder}.`,
    );
  if (path !== dirname(path)) await expectNoPlantedLink(dirname(path));
}

/** Names or passwords of the database roles. `owner` owns the database; the `superuser` has a password only. */
export type ByRole = Readonly<Record<string, string>>;

/** Where the files of an embedded database are, and the OS user that runs it. */
export interface Cluster {
  /** The data folder, as the options name it. */
  readonly folder: string;
  /** The data folder without symbolic links, as it is in the command line by which a running server is recognized. */
  readonly real: string;
  readonly home: string;
  readonly pgdata: string;
  readonly user: OsUser | undefined;
}

/** Finds the data folder or creates it, without a database. An existing folder keeps its permissions. */
export async function prepareFolder(path: string): Promise<Cluster> {
  const folder = resolve(path);
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  await expectNoPlantedLink(folder);
  await makeFolders(folder, passageMode(user));
  const real = await realpath(folder);
  const home = join(real, 'cluster');
  return { folder, real, home, pgdata: join(home, 'pgdata'), user };
}

/** Creates the file of passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
export async function makePasswords(home: string, roles: ByRole): Promise<ByRole> {
  const users = ['superuser', ...Object.keys(roles)];
  const passwords = Object.fromEntries(users.map((user) => [user, randomBytes(24).toString('base64url')]));
  await using file = await open(passwordsIn(home), 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(passwords, null, 2)}\n`);
  await file.sync();
  return passwords;
}

/** @throws EmbeddedError if a file of the database is missing or damaged */
export async function readPasswords(home: string, roles: ByRole): Promise<ByRole> {
  const passwords = await readFile(passwordsIn(home), 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  if (['superuser', ...Object.keys(roles)].every((user) => typeof passwords[user] === 'string'))
    return passwords;
  throw notWhole(home);
}

export const notWhole = (home: string) =>
  new EmbeddedError(
    `The folder ${home} is not a whole database: restore it from a backup, move it away to start with an empty one, or ${advice.otherFolder}.`,
  );

const passwordsIn = (home: string) => join(home, 'passwords.json');
