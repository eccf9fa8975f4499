import { open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileTrouble } from '../programs/errors.ts';
import { deepestExisting, expectNoPlantedLink, makeFolders } from '../programs/own-folder.ts';
import { barred, barredFolder } from '../programs/passage.ts';
import type { OsUser } from '../programs/program.ts';

/** The mode of a new folder: the database's OS user may pass through it, if it is another user. */
export const passageMode = (user: OsUser | undefined) => (user === undefined ? 0o700 : 0o711);

/** Creates the data folder if it is missing and returns its real path. An existing folder keeps its permissions. */
export async function prepareFolder(folder: string, user: OsUser | undefined): Promise<string> {
  try {
    await expectNoPlantedLink(folder);
    const existing = await deepestExisting(folder);
    if (user !== undefined) await checkPassage(existing, folder, user);
    await makeFolders(folder, passageMode(user));
    const real = await realpath(folder);
    if (user !== undefined) await checkPassage(real, folder, user);
    return real;
  } catch (error) {
    throw fileTrouble(error, folder);
  }
}

async function checkPassage(at: string, folder: string, user: OsUser): Promise<void> {
  if ((await barredFolder(at, user)) === undefined) return;
  // Another process may be creating it and not have set its mode yet.
  await pause(200);
  const closed = await barredFolder(at, user);
  if (closed === undefined) return;
  const hasData = await stat(join(folder, 'cluster')).catch(() => undefined);
  throw barred(
    closed,
    user,
    hasData === undefined
      ? 'choose another folder with DATA_DIR'
      : `move the data folder ${folder} to a place that this user may enter and name that with DATA_DIR`,
  );
}

/** Makes a rename in the folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
