import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The variable that names the folder of the database's data to the processes of a run. */
export const dataVariable = 'TEST_DATA_FOLDER';
const memory = '/dev/shm';
/** What the data of a run's database may take, in bytes, before they go on the disk. */
const enoughMemory = 2 ** 31;

/** The temporary folders of a run: what a test leaves in them goes with them, and so do the processes that use them. */
export async function runFolder() {
  const path = await folderIn(tmpdir());
  // A container, too, may have 64 MB of it.
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const isEnough = Math.min(bavail * bsize, process.availableMemory()) >= enoughMemory;
  /** For the database's data: in memory, if there is enough. A copy of a database takes a twelfth of the time there. */
  const data = isEnough ? await folderIn(memory) : path;
  const remove = async () => {
    // A PostgreSQL has a session of its own and outlives those who started it; SIGQUIT takes its children along.
    for (let looks = 0; ; looks++) {
      const users = commandLines().filter(([, line]) => line.includes(path) || line.includes(data));
      if (users.length === 0) break;
      for (const [id] of users) sendSignal(id, looks > 100 ? 'SIGKILL' : 'SIGQUIT');
      await pause(50);
    }
    for (const folder of [path, data]) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  return { path, data, remove };
}

async function folderIn(parent: string): Promise<string> {
  const path = await mkdtemp(join(parent, 'mirror-tests-'));
  // As the system's own: the database's OS user comes here too.
  await chmod(path, 0o1777);
  return path;
}

/** Ends a process, or a group by its negative number; false if there is none. */
export function sendSignal(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export function commandLines(): [number, string][] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path): [number, string][] => {
    try {
      return [[Number(path.split('/')[2]), readFileSync(path, 'utf8')]];
    } catch {
      return [];
    }
  });
}
