import { spawnSync } from 'node:child_process';
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

/** What of a test needs root, and a kernel that gives it a mount namespace, is said where it cannot be had. */
export function canHaveRoom(what: string): boolean {
  const isRoot = process.getuid?.() === 0;
  const words = ['--mount', '--pid', '--fork', '--mount-proc', 'true'];
  const has = isRoot && spawnSync(program('unshare'), words).status === 0;
  if (!has) console.warn(`NOT TESTED, for want of ${isRoot ? 'a mount namespace' : 'being root'}: ${what}`);
  return has;
}
