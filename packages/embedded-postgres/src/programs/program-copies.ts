import { lstat, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from './errors.ts';
import { lockedBy } from './file-lock.ts';
import { expectRootsOwn, isThere, makeFolders, projectName } from './own-folder.ts';
import { commandLines } from './process.ts';
import { checksumOf, copyPrograms, draftPrefix } from './program-copy.ts';

/** The PostgreSQL programs of a project: the folder with `bin`, `lib` and `share`, and their version. */
interface Original {
  readonly folder: string;
  readonly version: string;
}

/** The record of each project: the copy that it uses, and the source of the copy. */
interface Use {
  readonly project: string;
  readonly made: string;
  readonly copy: string;
}

/**
 * A copy of the programs below `base`, which the projects with the same programs share; `<base>/projects` says who
 * uses which. A missing copy is created, and one that is no longer used is removed. For root only.
 * @returns the copy's folder @throws a file system error, or an EmbeddedError if another user might have created it
 */
export async function programCopy(original: Original, base: string, project: string): Promise<string> {
  const [programs, projects] = [join(base, 'programs'), join(base, 'projects')];
  const note = join(projects, projectName(project));
  const made = await stampOf(original);
  const noted = await readUse(note);
  if (noted?.made === made && (await isWhole(programs, noted.copy))) return join(programs, noted.copy);

  await makeFolders(programs, 0o711);
  // A process that can open the lock can hold it.
  await makeFolders(projects, 0o700);
  for (const folder of [programs, projects]) await expectRootsOwn(await realpath(folder));
  return await lockedBy(join(projects, '.lock'), async () => {
    const copy = `${original.version}-${(await checksumOf(original.folder)).slice(0, 16)}`;
    if (!(await isWhole(programs, copy))) await copyPrograms(original.folder, programs, copy);
    await writeUse(note, { project, made, copy });
    await removeUnused(programs, projects);
    return join(programs, copy);
  });
}

/** Identifies the files without reading them: a checksum of 60 MB would take each command a tenth of a second. */
async function stampOf({ folder, version }: Original): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(join(folder, 'bin', 'postgres'));
  return [folder, version, dev, ino, size, mtimeMs, ctimeMs].join(' ');
}

async function isWhole(programs: string, copy: string): Promise<boolean> {
  const found = await lstat(join(programs, copy)).catch(() => undefined);
  if (found === undefined) return false;
  await expectRootsOwn(await realpath(programs));
  return found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
}

async function readUse(note: string): Promise<Use | undefined> {
  try {
    const { project, made, copy } = JSON.parse(await readFile(note, 'utf8'));
    return { project: String(project), made: String(made), copy: String(copy) };
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeUse(note: string, use: Use): Promise<void> {
  const beside = join(dirname(note), '.new');
  await writeFile(beside, `${JSON.stringify(use)}\n`, { mode: 0o600 });
  await rename(beside, note);
}

/** A copy is in use while a project that uses it exists, or a server runs from it. */
async function removeUnused(programs: string, projects: string): Promise<void> {
  const used = await usedCopies(projects);
  const others = (await readdir(programs)).filter((name) => !used.has(name));
  if (others.length === 0) return;
  const running = await commandLines();
  for (const name of others) {
    const copy = join(programs, name);
    if (running.some((line) => line.startsWith(`${copy}/`))) continue;
    const aside = join(programs, `${draftPrefix}${name}`);
    await rename(copy, aside);
    await rm(aside, { recursive: true, force: true });
  }
}

async function usedCopies(projects: string): Promise<Set<string>> {
  const used = new Set<string>();
  for (const name of await readdir(projects)) {
    if (name.startsWith('.')) continue;
    const use = await readUse(join(projects, name));
    if (use !== undefined && (await isThere(use.project))) used.add(use.copy);
    else await rm(join(projects, name), { force: true });
  }
  return used;
}
