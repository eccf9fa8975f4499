import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { advice, EmbeddedError } from './errors.ts';
import { databaseOsUser, type OsUser, passageMode } from './programs.ts';

/** Creates the folder and missing parents, each with this mode. Existing folders keep their permissions. */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  const isThere = async () => (await stat(folder).catch(() => undefined))?.isDirectory();
  if (folder === dirname(folder) || (await isThere())) return;
  await makeFolders(dirname(folder), mode);
  try {
    await mkdir(folder, mode);
    // The umask reduces the mode given to mkdir; this sets the intended one.
    await chmod(folder, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!(await isThere())) throw error;
  }
}

/**
 * In a folder that everyone can write to, a symbolic link of another user is a trap: a program that follows it writes
 * where that user wants. Linux also refuses it if `fs.protected_symlinks` is set. @throws EmbeddedError
 */
export async function expectNoPlantedLink(path: string): Promise<void> {
  const [link, above] = await Promise.all(
    [path, dirname(path)].map((one) => lstat(one).catch(() => undefined)),
  );
  const isShared = above !== undefined && (above.mode & 0o1002) === 0o1002;
  if (link?.isSymbolicLink() && isShared && link.uid !== process.getuid?.() && link.uid !== above.uid)
    throw new EmbeddedError(
      `The symbolic link ${path} is somebody else's, in a folder where everybody may write, and is not followed: ${advice.otherFolder}.`,
    );
  if (path !== dirname(path)) await expectNoPlantedLink(dirname(path));
}

/** Names or passwords of the database roles. `owner` owns the database; the `superuser` has a password only. */
export type ByRole = Readonly<Record<string, string>>;

/** Where the files of an embedded database are, and the OS user that runs it. */
export interface Cluster {
  /** The data folder, as its user named it. */
  readonly folder: string;
  /** The data folder with symbolic links resolved: a running server is recognized by its command line. */
  readonly real: string;
  readonly home: string;
  readonly pgdata: string;
  readonly user: OsUser | undefined;
}

/** Finds the data folder or creates it, without a database. An existing folder keeps its permissions. */
export async function prepareFolder(given: string): Promise<Cluster> {
  const folder = resolve(given);
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  await expectNoPlantedLink(folder);
  await makeFolders(folder, passageMode(user));
  const real = await realpath(folder);
  const home = join(real, 'cluster');
  return { folder, real, home, pgdata: join(home, 'pgdata'), user };
}

/** Makes new passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
export async function makePasswords(home: string, roles: ByRole): Promise<ByRole> {
  const users = ['superuser', ...Object.keys(roles)];
  const made = Object.fromEntries(users.map((user) => [user, randomBytes(24).toString('base64url')]));
  await using file = await open(passwordsIn(home), 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(made, null, 2)}\n`);
  await file.sync();
  return made;
}

/** @throws EmbeddedError if the file is damaged, or the error of the file system */
export async function readPasswords(home: string, roles: ByRole): Promise<ByRole> {
  const text = await readFile(passwordsIn(home), 'utf8');
  try {
    const found = JSON.parse(text);
    if (['superuser', ...Object.keys(roles)].every((user) => typeof found[user] === 'string')) return found;
  } catch {
    // As damaged as one without passwords.
  }
  throw new EmbeddedError(
    `The embedded database's passwords in ${passwordsIn(home)} are damaged: bring the file back from a backup.`,
  );
}

export const passwordsIn = (home: string) => join(home, 'passwords.json');
