import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError, orYourOwn } from './errors.ts';
import { type OsUser, run } from './run.ts';

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
