import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError, orYourOwn } from './errors.ts';
import { type OsUser, run } from './program.ts';

/** The topmost folder on the path that the user cannot enter. The OS is asked, because modes are not the whole story. */
export async function barredFolder(folder: string, user: OsUser): Promise<string | undefined> {
  if (await canEnter(folder, user)) return undefined;
  const path = [folder];
  for (let at = folder; at !== dirname(at); at = dirname(at)) path.unshift(dirname(at));
  for (const one of path) {
    const exists = await stat(one).catch(() => undefined);
    if (exists === undefined) return undefined;
    if (!(await canEnter(one, user))) return one;
  }
  return undefined;
}

async function canEnter(folder: string, user: OsUser): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], user)).code === 0;
}

export async function canRead(file: string, user: OsUser): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'test -r "$1"', 'sh', file], user)).code === 0;
}

/** The error for a folder that the database's user cannot enter; permissions of folders that are not ours never change. */
export function barred(folder: string, user: OsUser, move: string): EmbeddedError {
  return new EmbeddedError(
    `The embedded database does not run as root but as the OS user ${user.name}, who cannot enter ${folder}: ${move}, run as an ordinary user, or ${orYourOwn}.`,
  );
}
