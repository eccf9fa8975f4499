import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectFolder } from './workspace.ts';

/** Debian keeps what only root needs out of other users' PATH. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** As `npm run setup` installs it. */
export const pnpm = `${projectFolder}node_modules/.cache/pnpm/node_modules/pnpm/pnpm`;

/** The path of a program that has to be there. @throws Error that says what to install: the packages of that list */
export function program(name: string, list = 'ops/debian-packages'): string {
  for (const path of folders.map((folder) => join(folder, name)))
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  const packages = readFileSync(`${projectFolder}${list}`, 'utf8').trim().split('\n');
  throw new Error(`${name} is not installed: apt-get install ${packages.join(' ')}`);
}
