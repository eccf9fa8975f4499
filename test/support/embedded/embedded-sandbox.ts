import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import { type EmbeddedOptions, openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';
import { query } from '../database/client.ts';
import { dataFolder } from '../process/data-folder.ts';

/** Shared memory is a file of the data folder, so that a killed server leaves nothing in /dev/shm. */
const settings = { fsync: 'off', dynamic_shared_memory_type: 'mmap' };
const usual = { database: 'campaign_mirror', roles, settings };

export type Opened = Awaited<ReturnType<ReturnType<typeof sandbox>['open']>>;

/** Folders, processes and databases of a suite, which ends and removes them after its tests. */
export function sandbox() {
  const ends: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return {
    /** The path of a folder that does not exist yet, below one that any OS user may enter. */
    async folder(name?: string): Promise<string> {
      const made = await dataFolder(name);
      ends.push(made.remove);
      return made.path;
    },
    async open(folder: string, options: Partial<EmbeddedOptions<keyof typeof roles>> = {}) {
      const database = await openEmbeddedDatabase({ ...usual, folder, ...options });
      ends.push(database.close);
      const asSuperuser = (text: string, values?: unknown[]) =>
        query(database.address('superuser'), text, values);
      return { ...database, query: asSuperuser };
    },
    /** Starts a process that opens the database, and returns what kills it. */
    member(folder: string) {
      const script = `import { openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';
        await openEmbeddedDatabase(${JSON.stringify({ ...usual, folder })});`;
      const words = ['--input-type=module', '--eval', script];
      const child = spawn(process.execPath, words, { cwd: import.meta.dirname, stdio: 'inherit' });
      const ended = once(child, 'exit');
      const kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      ends.push(kill);
      return kill;
    },
  };
}

export const pgdataOf = (folder: string) => join(folder, 'cluster', 'pgdata');
