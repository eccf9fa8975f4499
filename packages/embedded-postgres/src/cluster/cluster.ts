import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Binaries, findBinaries, runnableBinaries } from '../programs/binaries.ts';
import { codeOf, EmbeddedError, fileTrouble } from '../programs/errors.ts';
import { databaseOsUser } from '../programs/os-user.ts';
import { isThere } from '../programs/own-folder.ts';
import type { OsUser } from '../programs/program.ts';
import { createCluster, sweepDrafts } from './creation.ts';
import { prepareFolder } from './folder.ts';
import { type Passwords, type Roles, readPasswords } from './passwords.ts';

/** The files of an embedded database, and the OS user that runs it. */
export interface Cluster {
  /** The data folder, as its user named it. */
  folder: string;
  /** `<folder>/cluster`, with symbolic links resolved: a running server is recognized by its command line. */
  home: string;
  pgdata: string;
  logs: string;
  binaries: Binaries;
  user: OsUser | undefined;
  passwords: Passwords;
}

interface ClusterOptions {
  folder: string;
  project: string;
  roles: Roles;
  durable: boolean;
  onCreated: () => void;
}

/** Opens the cluster of a data folder, or creates it. @throws EmbeddedError */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { roles, durable } = options;
  const folder = resolve(options.folder);
  const own = findBinaries();
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  const real = await prepareFolder(folder, user);
  const binaries = await runnableBinaries(own, user, real, options.project);
  const home = join(real, 'cluster');
  const pgdata = join(home, 'pgdata');
  try {
    await sweepDrafts(real);
    if (!(await isThere(home)) && (await createCluster(real, binaries, user, roles, durable)))
      options.onCreated();
    await checkVersion(folder, pgdata, major(binaries.version));
    const passwords = await readPasswords(join(home, 'passwords.json'), roles);
    return { folder, home, pgdata, logs: join(home, 'logs'), binaries, user, passwords };
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? notACluster(home) : fileTrouble(error, folder);
  }
}

const major = (version: string) => version.split('.')[0] ?? version;

async function checkVersion(folder: string, pgdata: string, ours: string): Promise<void> {
  const theirs = (await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim();
  if (theirs === ours) return;
  throw new EmbeddedError(
    `The data folder ${folder} was made by PostgreSQL ${theirs}, this version of Campaign Mirror brings PostgreSQL ${ours}, and nothing was changed: run the version of Campaign Mirror that made it, or start it with PostgreSQL ${theirs}, copy it with that version's pg_dump and load the copy into a new data folder (DATA_DIR) or your own PostgreSQL (DATABASE_URL).`,
  );
}

function notACluster(home: string): EmbeddedError {
  return new EmbeddedError(
    `The folder ${home} is not a whole database of Campaign Mirror: restore it from a backup, move it away to start with an empty one, or choose another folder with DATA_DIR.`,
  );
}
