import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/sql';
import {
  advice,
  type EmbeddedDatabase,
  EmbeddedError,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from '@campaign-mirror/embedded-postgres';
import { type Settings, settings } from '../settings/settings.ts';

const folderAbove = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
/**
 * The folder of this copy of the project, without a slash at its end and without symbolic links. For a program that has
 * installed this package it is the working directory: the next installation would delete what lies in node_modules.
 */
export const projectFolder = folderAbove.split(sep).includes('node_modules') ? process.cwd() : folderAbove;

/**
 * The data folder. The default is in the project; that of root is in a system folder, because the OS user that runs the
 * database for root may not be allowed to enter the project. One that holds data stays in use, whoever asks. Any other
 * path is relative to the working directory.
 */
export function dataFolder({ DATA_DIR }: Settings): string {
  if (DATA_DIR !== settings.DATA_DIR.byDefault) return resolve(DATA_DIR);
  const inside = join(projectFolder, '.data');
  const readable = basename(projectFolder).replace(/[^A-Za-z0-9._-]+/g, '-');
  const hash = createHash('sha256').update(projectFolder).digest('hex');
  const ofRoot = `/var/lib/campaign-mirror/data/${readable.slice(0, 40) || 'project'}-${hash.slice(0, 12)}`;
  const inUse = [inside, ofRoot].find((folder) => existsSync(join(folder, 'cluster')));
  return inUse ?? (process.getuid?.() === 0 ? ofRoot : inside);
}

/** The embedded database with this project's roles. @throws ClearError; the reason of the signal */
export async function openOwnDatabase(
  options: Omit<EmbeddedOptions<Role>, 'database' | 'roles'>,
): Promise<EmbeddedDatabase<Role>> {
  return await openEmbeddedDatabase({ ...options, database: 'campaign_mirror', roles }).catch((error) => {
    if (!(error instanceof EmbeddedError)) throw error;
    throw new ClearError(
      error.message
        .replace(advice.otherFolder, 'choose another folder with DATA_DIR')
        .replace(advice.otherServer, 'set DATABASE_URL to use a PostgreSQL of your own'),
    );
  });
}
