import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, EmbeddedError } from '../programs/errors.ts';
import { expectNoPlantedLink, makeFolders } from '../programs/folders.ts';
import { databaseOsUser, passageMode } from '../programs/os-user.ts';
import type { OsUser } from '../programs/run.ts';
import { type Passwords, type Roles, readPasswords } from './passwords.ts';

/** Where the files of an embedded database are, and the OS user that runs it. */
export interface Cluster {
  /** The data folder, as its user named it. */
  readonly folder: string;
  /** The data folder with symbolic links resolved: a running server is recognized by its command line. */
  readonly real: string;
  readonly home: string;
  readonly pgdata: string;
  readonly user: OsUser | undefined;
}

/** Finds the data folder or creates it, without a database. An existing folder keeps its permissions. */
export async function prepareFolder(given: string): Promise<Cluster> {
  const folder = resolve(given);
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  await expectNoPlantedLink(folder);
  await makeFolders(folder, passageMode(user));
  const real = await realpath(folder);
  const home = join(real, 'cluster');
  return { folder, real, home, pgdata: join(home, 'pgdata'), user };
}

export function clusterPasswords(cluster: Cluster, roles: Roles): Promise<Passwords> {
  return readPasswords(join(cluster.home, 'passwords.json'), roles).catch(notWhole(cluster));
}

export const notWhole = (cluster: Cluster) => (error: unknown) => {
  if (codeOf(error) !== 'ENOENT') throw error;
  throw new EmbeddedError(
    `The folder ${cluster.home} is not a whole database of Campaign Mirror: restore it from a backup, move it away to start with an empty one, or choose another folder with DATA_DIR.`,
  );
};
