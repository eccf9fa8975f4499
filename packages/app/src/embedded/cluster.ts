import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ClearError } from '../clear-error.ts';
import { type Binaries, findBinaries, runnableBinaries } from '../postgres-programs/binaries.ts';
import { codeOf, fileTrouble } from '../postgres-programs/errors.ts';
import { databaseOsUser } from '../postgres-programs/os-user.ts';
import type { OsUser } from '../postgres-programs/program.ts';
import { createCluster, sweepDrafts } from './creation.ts';
import { prepareFolder } from './folder.ts';
import { type Passwords, readPasswords } from './passwords.ts';

/** The files of an embedded database, and who runs it. */
export interface Cluster {
  /** The data folder, as its user named it. */
  folder: string;
  /** `<folder>/cluster`, without symbolic links: a living server is known by its command line. */
  home: string;
  pgdata: string;
  logs: string;
  binaries: Binaries;
  user: OsUser | undefined;
  passwords: Passwords;
}

/** Finds the cluster of a data folder, or makes it. Throws a ClearError. */
export async function openCluster(
  dataFolder: string,
  durable: boolean,
  onCreated: () => void,
): Promise<Cluster> {
  const folder = resolve(dataFolder);
  const own = findBinaries();
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  const real = await prepareFolder(folder, user);
  const binaries = await runnableBinaries(own, user, real);
  const home = join(real, 'cluster');
  const pgdata = join(home, 'pgdata');
  try {
    await sweepDrafts(real);
    if (!(await exists(home)) && (await createCluster(real, binaries, user, durable))) onCreated();
    await checkVersion(folder, pgdata, major(binaries.version));
    const passwords = await readPasswords(join(home, 'passwords.json'));
    return { folder, home, pgdata, logs: join(home, 'logs'), binaries, user, passwords };
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? notACluster(home) : fileTrouble(error, folder);
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

const major = (version: string) => version.split('.')[0] ?? version;

async function checkVersion(folder: string, pgdata: string, ours: string): Promise<void> {
  const theirs = (await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim();
  if (theirs === ours) return;
  throw new ClearError(
    `The data folder ${folder} was made by PostgreSQL ${theirs}, this version of Campaign Mirror brings PostgreSQL ${ours}, and nothing was changed: run the version of Campaign Mirror that made it, or start it with PostgreSQL ${theirs}, copy it with that version's pg_dump and load the copy into a new data folder (DATA_DIR) or your own PostgreSQL (DATABASE_URL).`,
  );
}

function notACluster(home: string): ClearError {
  return new ClearError(
    `The folder ${home} is not a whole database of Campaign Mirror: bring it back from a backup, move it away to begin anew, or choose another folder with DATA_DIR.`,
  );
}
