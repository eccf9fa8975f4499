import { readFile, stat } from 'node:fs/promises';
import { EmbeddedError, orYourOwn } from './errors.ts';
import type { OsUser } from './program.ts';

/**
 * The OS user for the database; undefined means ours. For root it is the owner of an existing cluster, otherwise
 * `postgres` if the machine has it, otherwise `nobody`.
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
  throw new EmbeddedError(
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
