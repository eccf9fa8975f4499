import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

export const read = (path: string): Promise<string> => readFile(`${projectFolder}${path}`, 'utf8');

/** Generated files, which other tests may write and remove at any time. */
const made = /\/(?:\.git|\.data|node_modules|dist|packed|coverage|\.pnpm-store)$|\.tsbuildinfo$/;

export const copyProject = (to: string): Promise<void> =>
  cp(projectFolder, to, { recursive: true, filter: (path) => !made.test(path) });
