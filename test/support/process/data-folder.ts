import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLines } from '../run-folder.ts';

/** `path` is a DATA_DIR that does not exist yet. `remove` also ends the server that a failed test left in it. */
export async function dataFolder(name = 'data') {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-process-'));
  // If the tests run as root, the embedded database runs as another user.
  await chmod(parent, 0o711);
  const path = join(parent, name);
  const remove = async () => {
    const server = await readFile(`${path}/cluster/pgdata/postmaster.pid`, 'utf8').catch(() => undefined);
    if (server && processesOf(path).length > 0) process.kill(Number(server.split('\n')[0]), 'SIGQUIT');
    await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  };
  return { path, remove };
}

export const processesOf = (folder: string): string[] =>
  commandLines().flatMap(([, line]) => (line.includes(folder) ? line.replaceAll('\0', ' ') : []));
