import { spawnSync } from 'node:child_process';
import { program } from '../programs.ts';

/** What of a test needs root, and a kernel that gives it a mount namespace, is said where it cannot be had. */
export function canHaveRoom(what: string): boolean {
  const isRoot = process.getuid?.() === 0;
  const words = ['--mount', '--pid', '--fork', '--mount-proc', 'true'];
  const has = isRoot && spawnSync(program('unshare'), words).status === 0;
  if (!has) console.warn(`NOT TESTED, for want of ${isRoot ? 'a mount namespace' : 'being root'}: ${what}`);
  return has;
}
