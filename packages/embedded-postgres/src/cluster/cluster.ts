import { randomBytes } from 'node:crypto';
import { open, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedError } from '../programs/errors.ts';
import { expectNoPlantedLink, makeFolders } from '../programs/folders.ts';
import { databaseOsUser, type OsUser, passageMode } from '../programs/os-user.ts';

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
