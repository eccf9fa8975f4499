import { createHash, randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { chmod, copyFile, readdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeFolder } from './own-folder.ts';

/** The prefix of copies that are being created or removed. */
export const draftPrefix = 'new-';

/** SHA-256, in hexadecimal, of all names, links, contents and executable bits below the folder. */
export async function checksumOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, entry } of await entriesOf(folder)) {
    hash.update(`${JSON.stringify([relative(folder, path), await kindOf(path, entry)])}\n`);
    if (entry.isFile()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}

/**
 * Copies the folder completely or not at all: under another name, then renamed. Everybody may read the copy and run its
 * programs, whatever the permissions of the original and the umask; only its owner, this user, may write to it.
 */
export async function copyPrograms(from: string, programs: string, name: string): Promise<void> {
  const draft = join(programs, `${draftPrefix}${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await makeFolder(draft, 0o755);
    for (const { path, entry } of await entriesOf(from)) {
      const target = join(draft, relative(from, path));
      if (entry.isDirectory()) await makeFolder(target, 0o755);
      else if (entry.isSymbolicLink()) await symlink(await readlink(path), target);
      else if (entry.isFile()) {
        await copyFile(path, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
        await chmod(target, (await isProgram(path)) ? 0o755 : 0o644);
      }
    }
    await rename(draft, join(programs, name));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** In the same order on every machine, a folder before its contents. */
async function entriesOf(folder: string): Promise<{ path: string; entry: Dirent }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.map((entry) => ({ path: join(entry.parentPath, entry.name), entry }));
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function kindOf(path: string, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return `link to ${await readlink(path)}`;
  return (await isProgram(path)) ? 'program' : 'file';
}

const isProgram = async (path: string) => ((await stat(path)).mode & 0o100) !== 0;
