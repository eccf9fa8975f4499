import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/sql';
import {
  defaultFolder,
  type EmbeddedDatabase,
  EmbeddedError,
  type EmbeddedOptions,
  openEmbeddedDatabase,
  type Place,
} from '@campaign-mirror/embedded-postgres';
import { type Settings, settings } from '../settings/settings.ts';

const above = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
/**
 * The folder of this copy of the project, without a slash at its end and without symbolic links; of a program that has
 * installed this package, the working directory, because its next installation would delete what lies in node_modules.
 */
export const projectFolder = above.split(sep).includes('node_modules') ? process.cwd() : above;

/** The data folder: the default is in the project; any other path is relative to the working directory. */
export async function dataFolder({ DATA_DIR }: Settings): Promise<Place> {
  if (DATA_DIR !== settings.DATA_DIR.byDefault) return { folder: resolve(DATA_DIR) };
  return defaultFolder(projectFolder);
}

/** The embedded database with this project's roles. @throws ClearError; the reason of the signal */
export async function openOwnDatabase(
  options: Omit<EmbeddedOptions<Role>, 'roles'>,
): Promise<EmbeddedDatabase<Role>> {
  return await openEmbeddedDatabase({ ...options, roles }).catch((error) => {
    throw error instanceof EmbeddedError ? new ClearError(error.message) : error;
  });
}
