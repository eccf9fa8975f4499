import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The environment variable with the folder for the data of the database. */
export const dataVariable = 'TEST_DATA_FOLDER';
const memory = '/dev/shm';
/** The free memory, in bytes, that the data need. */
const enoughMemory = 2 ** 31;

/** The temporary folders of a run. Removing them ends the processes that use them. */
export async function runFolder() {
  const path = await folderIn(tmpdir());
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const isEnough = Math.min(bavail * bsize, process.availableMemory()) >= enoughMemory;
  // In memory, copying a database takes a twelfth of the time.
  const data = isEnough ? await folderIn(memory) : path;
  const remove = async () => {
    // A PostgreSQL has its own session, and outlives a killed run. SIGQUIT also ends its children.
    for (let polls = 0; ; polls++) {
      const users = commandLines().filter(([, line]) => line.includes(path) || line.includes(data));
      if (users.length === 0) break;
      for (const [id] of users) sendSignal(id, polls > 100 ? 'SIGKILL' : 'SIGQUIT');
      await pause(50);
    }
    for (const folder of [path, data]) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  return { path, data, remove };
}

async function folderIn(parent: string): Promise<string> {
  const path = await mkdtemp(join(parent, 'mirror-tests-'));
  // Like /tmp: the database runs as another user.
  await chmod(path, 0o1777);
  return path;
}

/** Signals a process, or a group by its negative number. Returns false if it does not exist. */
export function sendSignal(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export const commandLines = (): [id: number, line: string][] =>
  globSync('/proc/[0-9]*/cmdline').flatMap((path): [number, string][] => {
    try {
      return [[Number(path.split('/')[2]), readFileSync(path, 'utf8')]];
    } catch {
      return [];
    }
  });
