import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError } from './errors.ts';

/** Where root keeps copies of the programs, and data that cannot be kept in a project. */
export const systemFolder = '/var/lib/campaign-mirror';

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
      `The symbolic link ${path} is somebody else's, in a folder where everybody may write, and is not followed: choose another folder with DATA_DIR.`,
    );
  if (path !== dirname(path)) await expectNoPlantedLink(dirname(path));
}
