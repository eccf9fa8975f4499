import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClearError } from '../clear-error.ts';
import { orYourOwn } from './errors.ts';
import { type OsUser, run } from './program.ts';

/**
 * The OS user for the database: undefined means ours. For root it is the owner of the cluster where there is one,
 * else `postgres` if the machine has it, else `nobody`.
 */
export async function databaseOsUser(pgdata: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await knownUsers();
  const owner = await stat(pgdata).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    const name = users.find((user) => user.uid === owner.uid)?.name ?? `number ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const user = users.find((one) => one.name === name);
    if (user !== undefined) return user;
  }
  throw new ClearError(
    `The embedded database cannot run as root, and this machine has neither an OS user postgres nor nobody: run as an ordinary user, or ${orYourOwn}.`,
  );
}

async function knownUsers(): Promise<OsUser[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }] : [];
  });
}

/** The topmost of the folder and those above it that the user cannot enter. Asked of the OS: modes do not tell all. */
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

/** The error for a folder that root's stand-in cannot enter; we never change the rights of what is not ours. */
export function barred(folder: string, user: OsUser, move: string): ClearError {
  return new ClearError(
    `The embedded database does not run as root but as the OS user ${user.name}, who cannot enter ${folder}: ${move}, run as an ordinary user, or ${orYourOwn}.`,
  );
}
