import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { advice, EmbeddedError, oneLine } from './errors.ts';

/** SQLITE_BUSY. */
const sqliteBusy = 5;

export type Lock = Awaited<ReturnType<typeof openLock>>;

/**
 * The lock of the process that runs the server of a data folder. It ends with the process, however that ends. Node has no
 * file locks, but SQLite, which it contains, has; the file remains empty. The service takes the exclusive lock, any other
 * program the write lock, beside which others may read: so a third one learns which of both has it.
 * @throws EmbeddedError, or a file system error
 */
export async function openLock(folder: string) {
  const file = `${folder}/lock`;
  const ownerFile = `${folder}/lock.owner`;
  await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // SQLite would follow a symbolic link, and create a file where it leads.
  if (!(await lstat(file)).isFile()) throw new EmbeddedError(`${file} is not a file: remove it.`);
  const database = new DatabaseSync(file, { open: false, timeout: 0 });
  const isBusy = (statement: string) => {
    try {
      if (!database.isOpen) database.open();
      database.exec(statement);
      return false;
    } catch (error) {
      const { errcode, message } = error as Error & { errcode?: number };
      if (errcode === sqliteBusy) return true;
      throw new EmbeddedError(
        `${file} cannot be locked (${oneLine(message)}): make it writable, ${advice.otherFolder}, or ${advice.otherServer}.`,
      );
    }
  };
  return {
    /** Takes the lock if no other process has it. */
    take: (service: boolean) => {
      // With the journal in memory, because it would otherwise be a file.
      if (isBusy(`pragma journal_mode = memory; begin ${service ? 'exclusive' : 'immediate'}`)) return false;
      rmSync(ownerFile, { force: true });
      writeFileSync(ownerFile, `${process.pid}\n`, { flag: 'wx' });
      return true;
    },
    isOfService: () => isBusy('select count(*) from sqlite_master'),
    /** The number of the process that has the lock; `unknown` if it has not written it. */
    owner: () => {
      try {
        return readFileSync(ownerFile, 'utf8').trim();
      } catch {
        return 'unknown';
      }
    },
    release: () => database.isOpen && database.close(),
  };
}
