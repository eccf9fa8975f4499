import { chmod, mkdir, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, fileTrouble } from './errors.ts';
import { barred, barredFolder } from './os-user.ts';
import type { OsUser } from './program.ts';

const moveIt = 'choose another folder with DATA_DIR';

/** The mode of a folder of ours: the database's OS user may pass through it, if that is not us. */
export const passageMode = (user: OsUser | undefined) => (user === undefined ? 0o700 : 0o711);

/** Makes the data folder where it is missing and gives back its real path. One that is there keeps its rights. */
export async function prepareFolder(folder: string, user: OsUser | undefined): Promise<string> {
  try {
    const existing = await deepestExisting(folder);
    if (user !== undefined) await checkPassage(existing, user);
    await makeFolders(existing, folder, passageMode(user));
    const real = await realpath(folder);
    if (user !== undefined) await checkPassage(real, user);
    return real;
  } catch (error) {
    throw fileTrouble(error, folder);
  }
}

/** One by one: Node's recursive mkdir runs for ever where the system denies a folder as if its parent were missing. */
async function makeFolders(existing: string, folder: string, mode: number): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; at !== existing; at = dirname(at)) missing.unshift(at);
  for (const one of missing) {
    try {
      await mkdir(one, mode);
      // The mode given to mkdir is cut by the umask: this one is meant.
      await chmod(one, mode);
    } catch (error) {
      const madeByAnother = codeOf(error) === 'EEXIST' && (await isFolder(one));
      if (!madeByAnother) throw error;
    }
  }
}

async function checkPassage(folder: string, user: OsUser): Promise<void> {
  if ((await barredFolder(folder, user)) === undefined) return;
  // Another process may just be making it, and have its mode still to set.
  await pause(200);
  const closed = await barredFolder(folder, user);
  if (closed !== undefined) throw barred(closed, user, moveIt);
}

async function deepestExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) if (at === dirname(at) || (await isFolder(at))) return at;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Makes what was renamed into the folder outlast a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
