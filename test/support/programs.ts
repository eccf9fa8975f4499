import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectFolder } from './workspace.ts';

/** In Debian, only the PATH of root has the folders `sbin`. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The pnpm that `npm run setup` installs. */
export const pnpm = `${projectFolder}node_modules/.cache/pnpm/node_modules/pnpm/pnpm`;

/** The path of an installed program. @throws Error that names the packages of the list to install */
export function program(name: string, list = 'ops/debian-packages'): string {
  for (const path of folders.map((folder) => join(folder, name)))
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  const packages = readFileSync(`${projectFolder}${list}`, 'utf8').trim().replaceAll('\n', ' ');
  throw new Error(`${name} is not installed: apt-get install ${packages}`);
}

/** Tells whether a test can have a mount namespace, and warns if it cannot. */
export function canHaveRoom(what: string): boolean {
  const words = ['--mount', '--pid', '--fork', '--mount-proc', 'true'];
  const has = process.getuid?.() === 0 && spawnSync(program('unshare'), words).status === 0;
  if (!has) console.warn(`NOT TESTED, because it needs root and a mount namespace: ${what}`);
  return has;
}
