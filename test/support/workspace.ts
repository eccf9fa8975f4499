import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PackageFiles } from './import-rules.ts';
import type { SourceFile } from './source-facts.ts';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Folders that are made, not written. */
const made = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);

/** The text of a file of the project. */
export const read = (path: string): Promise<string> => readFile(`${projectFolder}${path}`, 'utf8');

/** Every file in a folder of the project and the folders in it, by its path from the project's folder. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(`${projectFolder}${folder}`, { withFileTypes: true });
  const paths = await Promise.all(
    entries.map((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return made.has(entry.name) ? [] : filesIn(path);
      return entry.isFile() && !entry.name.endsWith('.tsbuildinfo') ? [path] : [];
    }),
  );
  return paths.flat().sort();
}

/** The packages that make the product. */
export async function packages(): Promise<PackageFiles[]> {
  const folders = await readdir(`${projectFolder}packages`);
  return Promise.all(folders.sort().map((name) => packageIn(`packages/${name}`, `packages/${name}/src`)));
}

/** The tests, which are a package too. */
export const tests = (): Promise<PackageFiles> => packageIn('test', 'test');

async function packageIn(folder: string, sources: string): Promise<PackageFiles> {
  const paths = (await filesIn(sources)).filter((path) => path.endsWith('.ts'));
  return {
    folder,
    manifest: JSON.parse(await read(`${folder}/package.json`)),
    sources: await Promise.all(
      paths.map(async (path): Promise<SourceFile> => ({ path, text: await read(path) })),
    ),
  };
}
