import { existsSync } from 'node:fs';
import { machine } from 'node:os';
import type { Fault } from './fault.ts';

export const thisMachine = {
  /** Debian's libfaketime. */
  clockLibrary: `/usr/lib/${machine()}-linux-gnu/faketime/libfaketimeMT.so.1`,
  isRoot: process.getuid?.() === 0,
};

/** What the machine lacks for a fault; undefined where it lacks nothing. */
export function lackedBy({ clock, disk }: Fault, { clockLibrary, isRoot } = thisMachine): string | undefined {
  if (clock && !existsSync(clockLibrary)) return `no ${clockLibrary}: apt-get install libfaketime`;
  if (disk && !isRoot) return 'only root can give the database a disk of its own';
  return undefined;
}
