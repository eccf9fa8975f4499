import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { advice, EmbeddedError, oneLine } from './errors.ts';

export type Lock = Awaited<ReturnType<typeof openLock>>;

/**
 * The lock of who runs the server of a data folder; it ends with its process, however that ends. Node has no file locks,
 * but its SQLite has, and the file remains empty. The one service takes the exclusive lock, any other program the write
 * lock, beside which others may read: so they know which of both has it. @throws EmbeddedError, or a file system error
 */
export async function openLock(folder: string) {
  const [file, ownerFile] = [`${folder}/lock`, `${folder}/lock.owner`];
  await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // SQLite would follow a symbolic link, and make a file where it leads.
  if (!(await lstat(file)).isFile()) throw new EmbeddedError(`${file} is not a file: remove it.`);
  const database = new DatabaseSync(file, { open: false, timeout: 0 });
  const isBusy = (statement: string) => {
    try {
      if (!database.isOpen) database.open();
      database.exec(statement);
      return false;
    } catch (error) {
      const { errcode, message } = error as Error & { errcode?: number };
      // SQLITE_BUSY.
      if (errcode === 5) return true;
      throw new EmbeddedError(
        `${file} cannot be locked (${oneLine(message)}): make it writable, ${advice.otherFolder}, or ${advice.otherServer}.`,
      );
    }
  };
  return {
    take: (service: boolean) => {
      // The journal in memory: otherwise it would be a file.
      if (isBusy(`pragma journal_mode = memory; begin ${service ? 'exclusive' : 'immediate'}`)) return false;
      rmSync(ownerFile, { force: true });
      writeFileSync(ownerFile, `${process.pid}\n`, { flag: 'wx' });
      return true;
    },
    isOfService: () => isBusy('select count(*) from sqlite_master'),
    /** The number of the process that has it, as far as is known. */
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
