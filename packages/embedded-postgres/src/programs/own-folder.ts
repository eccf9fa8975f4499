import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, EmbeddedError } from './errors.ts';

/** Where root keeps what all projects share: copies of the programs, and data that cannot be kept in a project. */
export const systemFolder = '/var/lib/campaign-mirror';

/**
 * Whether something has this path. One that cannot be examined is treated as existing: its use then reports what
 * prevents it.
 */
export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR',
  );
}

/** Creates the folder and missing parents, each with this mode. Existing folders keep their permissions. */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  const existing = await deepestExisting(folder);
  const missing: string[] = [];
  for (let at = folder; at !== existing; at = dirname(at)) missing.unshift(at);
  // One by one: Node's recursive mkdir never ends if the system reports a denied folder as a missing parent.
  for (const one of missing) {
    try {
      await makeFolder(one, mode);
    } catch (error) {
      const madeByAnother = codeOf(error) === 'EEXIST' && (await isFolder(one));
      if (!madeByAnother) throw error;
    }
  }
}

export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, mode);
  // The umask reduces the mode given to mkdir; this sets the intended one.
  await chmod(path, mode);
}

/** The folder itself, or its nearest existing parent. */
export async function deepestExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) if (at === dirname(at) || (await isFolder(at))) return at;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

const sticky = 0o1000;
const othersWrite = 0o022;

/**
 * Checks that only root can have written to the folder: it and its parents belong to root, and nobody else may write to
 * them, or only next to them (sticky folders such as /tmp). @throws EmbeddedError
 */
export async function expectRootsOwn(folder: string): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await lstat(at);
    const isClosed = (found.mode & othersWrite) === 0 || (at !== folder && (found.mode & sticky) !== 0);
    if (!found.isDirectory() || found.uid !== 0 || !isClosed)
      throw new EmbeddedError(
        `The folder ${at} cannot be trusted: it has to be a folder that belongs to root and that nobody else may write to.`,
      );
    if (at === dirname(at)) return;
  }
}

/**
 * In a folder that everyone can write to, a symbolic link of another user is a trap: a program that follows it writes
 * where that user wants. Linux also refuses it if `fs.protected_symlinks` is set. @throws EmbeddedError
 */
export async function expectNoPlantedLink(path: string): Promise<void> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const [link, above] = await Promise.all(
      [at, dirname(at)].map((one) => lstat(one).catch(() => undefined)),
    );
    const isShared = above !== undefined && (above.mode & (sticky | 0o002)) === (sticky | 0o002);
    if (!link?.isSymbolicLink() || !isShared) continue;
    if (link.uid !== process.getuid?.() && link.uid !== above.uid)
      throw new EmbeddedError(
        `The symbolic link ${at} is somebody else's, in a folder where everybody may write, and is not followed: choose another folder with DATA_DIR.`,
      );
  }
}

/** A unique file name for a project: the name of its folder, for readers, and a hash of its path. */
export function projectName(folder: string): string {
  const readable = basename(folder)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  return `${readable || 'project'}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}
