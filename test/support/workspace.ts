import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Folders that are made, not written. */
const made = new Set(['.git', '.data', 'node_modules', 'dist', 'packed', 'coverage']);
/** Those that other tests make beside the sources and remove, at any moment. */
const passing = '.readme-';

/** The text of a file of the project. */
export const read = (path: string): Promise<string> => readFile(`${projectFolder}${path}`, 'utf8');

/** Every file in a folder of the project and the folders in it, by its path from the project's folder. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(`${projectFolder}${folder}`, { withFileTypes: true });
  const paths = await Promise.all(
    entries.map((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory())
        return made.has(entry.name) || entry.name.startsWith(passing) ? [] : filesIn(path);
      return entry.isFile() && !entry.name.endsWith('.tsbuildinfo') ? [path] : [];
    }),
  );
  return paths.flat().sort();
}
