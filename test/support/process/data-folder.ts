import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLines } from '../run-folder.ts';

/** `path`: a DATA_DIR that is not there yet. It is removed with what a failed test left running in it. */
export async function dataFolder(name = 'data') {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-process-'));
  // As root the embedded database runs as another user, who has to pass through.
  await chmod(parent, 0o711);
  const path = join(parent, name);
  const remove = async () => {
    const server = await readFile(`${path}/cluster/pgdata/postmaster.pid`, 'utf8').catch(() => undefined);
    const living = (await processesOf(path)).length > 0;
    if (server && living) process.kill(Number(server.split('\n')[0]), 'SIGQUIT');
    await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  };
  return { path, remove };
}

export const processesOf = async (folder: string): Promise<string[]> =>
  commandLines()
    .map(([, line]) => line.replaceAll('\0', ' '))
    .filter((line) => line.includes(folder));
