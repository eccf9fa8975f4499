import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, openFolder, readPasswords } from './cluster.ts';
import { type EmbeddedDatabase, EmbeddedError, type EmbeddedOptions } from './options.ts';
import { advice, unusable } from './programs.ts';
import { readPostmaster, startServer } from './server-process.ts';

/**
 * Starts the data folder's database as a child of this process, or uses the running one of its service. Waits until
 * another program releases it. @throws EmbeddedError that names a remedy; the reason of `signal`
 */
export async function openEmbeddedDatabase<Role extends string>(
  options: EmbeddedOptions<Role>,
): Promise<EmbeddedDatabase<Role>> {
  const { folder, database, signal } = options;
  let lock: Lock | undefined;
  try {
    const cluster = await openFolder(options);
    lock = openLock(cluster.folder);
    const { port, stop } = (await serverOfService(cluster, lock)) ?? (await startServer(cluster));
    const passwords = await readPasswords(cluster);
    const users: Record<string, string> = { ...options.roles, superuser: 'postgres' };
    const close = async () => {
      await stop();
      lock?.release();
    };
    const address = (role: string) => {
      const [user = '', password = ''] = [users[role], passwords[role]];
      return { host: '127.0.0.1', port, user, password, database };
    };
    return { address, close };
  } catch (error) {
    lock?.release();
    signal?.throwIfAborted();
    // Faults of the system, of SQLite and of a program have a code; other errors are bugs.
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw unusable(folder, error.message);
  }
}

/** Waits for the running server of the service, or for the lock; with the lock, the result is undefined. */
async function serverOfService(cluster: Cluster, lock: Lock) {
  const { folder, pgdata, service = false, besideService, onEvent, signal } = cluster;
  for (let polls = 0; !lock.take(service); polls++) {
    const isOfService = lock.isOfService();
    const { isReady, port } = await readPostmaster(pgdata);
    if (isOfService && isReady && !service) return { port, stop: async () => {} };
    // At the first poll, the owner of the lock may not have written its number yet.
    if (isOfService && service && polls > 0) {
      const other = `is in use by another service (process ${lock.ownerId()})`;
      throw new EmbeddedError(`The data folder ${folder} ${other}: stop that one, or ${advice.otherFolder}.`);
    }
    if (polls === 20) onEvent?.('awaited', { folder, processId: lock.ownerId() });
    await pause(50, undefined, { signal });
  }
  if (besideService) throw new EmbeddedError(`No service uses the data folder ${folder}: start it first.`);
  return undefined;
}

type Lock = ReturnType<typeof openLock>;

/**
 * The lock of the process that runs the server of a data folder, by SQLite, because Node has no file locks. The service
 * has the exclusive lock. Another program has the write lock, which others recognize because they can still read.
 * Opening the file twice in a process would end its lock. The lock ends with the process.
 */
function openLock(folder: string) {
  const file = `${folder}/lock`;
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  const database = new DatabaseSync(file, { timeout: 0 });
  const isBusy = (statement: string) => {
    try {
      database.exec(statement);
      return false;
    } catch (error) {
      if (error instanceof Error && error.message === 'database is locked') return true;
      throw error;
    }
  };
  return {
    take: (service: boolean) => {
      // A journal on disk would be a second file.
      if (isBusy(`pragma journal_mode = memory; begin ${service ? 'exclusive' : 'immediate'}`)) return false;
      writeFileSync(`${file}.owner`, `${process.pid}\n`);
      return true;
    },
    isOfService: () => isBusy('select count(*) from sqlite_master'),
    ownerId: () => readFileSync(`${file}.owner`, 'utf8').trim(),
    release: () => database.isOpen && database.close(),
  };
}
