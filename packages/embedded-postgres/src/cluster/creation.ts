import { randomBytes } from 'node:crypto';
import { chown, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from '../programs/binaries.ts';
import { codeOf } from '../programs/errors.ts';
import { makeFolder } from '../programs/own-folder.ts';
import { isAlive } from '../programs/process.ts';
import type { OsUser } from '../programs/program.ts';
import { passageMode, syncFolder } from './folder.ts';
import { initialise } from './initdb.ts';
import { makePasswords, type Roles, writePasswords } from './passwords.ts';

const draftName = /^cluster\.new-(\d+)-[0-9a-f]+$/;
const draftsOfOurs = new Set<string>();

/**
 * Creates `<folder>/cluster` atomically: as a draft beside it that is then renamed, so that a killed process leaves no
 * partial cluster. Returns false if another process was first; its cluster is then used.
 */
export async function createCluster(
  folder: string,
  binaries: Binaries,
  user: OsUser | undefined,
  roles: Roles,
  durable: boolean,
): Promise<boolean> {
  const name = `cluster.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  const draft = join(folder, name);
  draftsOfOurs.add(name);
  try {
    await makeFolder(draft, passageMode(user));
    for (const inner of ['pgdata', 'logs']) {
      await makeFolder(join(draft, inner), 0o700);
      if (user !== undefined) await chown(join(draft, inner), user.uid, user.gid);
    }
    const passwords = makePasswords(roles);
    await writePasswords(join(draft, 'passwords.json'), passwords);
    const passwordFile = join(draft, 'superuser');
    await writeFile(passwordFile, passwords.superuser, { mode: 0o600 });
    if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
    await initialise(binaries, user, join(draft, 'pgdata'), passwordFile, roles, passwords, durable);
    await rm(passwordFile);
    if (durable) await syncFolder(draft);
    await rename(draft, join(folder, 'cluster'));
    if (durable) await syncFolder(folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    draftsOfOurs.delete(name);
  }
}

/** Removes drafts left by killed processes. Those that cannot be removed stay until the next time. */
export async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const process = draftName.exec(name)?.[1];
    if (
      process === undefined ||
      draftsOfOurs.has(name) ||
      (await isInUse(join(folder, name), Number(process)))
    )
      continue;
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/**
 * In a container a killed process and its successor often have the same number; elsewhere another process can get it.
 */
async function isInUse(draft: string, processId: number): Promise<boolean> {
  if (processId === process.pid || !isAlive(processId)) return false;
  const made = (await stat(draft).catch(() => undefined))?.mtimeMs ?? 0;
  return Date.now() - made < 10 * 60_000;
}
