import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DataFolder {
  /** A DATA_DIR that is not there yet. */
  readonly path: string;
  /** With what a failed test left running in it. */
  remove(): Promise<void>;
}

/** As root the embedded database runs as another user, who has to pass through the folder above it. */
export async function dataFolder(name = 'data'): Promise<DataFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-process-'));
  await chmod(parent, 0o711);
  const path = join(parent, name);
  return {
    path,
    remove: async () => {
      await endDatabaseOf(path);
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** The processes whose command line names this folder. Linux has them in /proc. */
export async function processesOf(folder: string): Promise<string[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(folder));
}

async function endDatabaseOf(folder: string): Promise<void> {
  const lines = await readFile(`${folder}/cluster/pgdata/postmaster.pid`, 'utf8').catch(() => undefined);
  const living = (await processesOf(folder)).length > 0;
  if (lines && living) process.kill(Number(lines.split('\n')[0]), 'SIGQUIT');
}
