import { chmod, mkdir, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileTrouble } from './embedded-errors.ts';
import { barred, barredFolder } from './embedded-os-user.ts';
import type { OsUser } from './embedded-program.ts';

const moveIt = 'choose another folder with DATA_DIR';

/** The mode of a folder of ours: the database's OS user may pass through it, if that is not us. */
export const passageMode = (user: OsUser | undefined) => (user === undefined ? 0o700 : 0o711);

/** Makes the data folder where it is missing and gives back its real path. One that is there keeps its rights. */
export async function prepareFolder(folder: string, user: OsUser | undefined): Promise<string> {
  try {
    if (user !== undefined) await checkPassage(await deepestExisting(folder), user);
    const topmost = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (topmost !== undefined) await openPassage(topmost, folder, passageMode(user));
    const real = await realpath(folder);
    if (user !== undefined) await checkPassage(real, user);
    return real;
  } catch (error) {
    throw fileTrouble(error, folder);
  }
}

/** A mode given to mkdir is cut by the umask: this one is meant. */
async function openPassage(topmost: string, folder: string, mode: number): Promise<void> {
  for (let at = folder; at.length >= topmost.length; at = dirname(at)) await chmod(at, mode);
}

async function checkPassage(folder: string, user: OsUser): Promise<void> {
  const closed = await barredFolder(folder, user);
  if (closed !== undefined) throw barred(closed, user, moveIt);
}

async function deepestExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found?.isDirectory() || at === dirname(at)) return at;
  }
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
