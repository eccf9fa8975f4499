import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Progress, progress } from '@campaign-mirror/adapters-cli/progress';
import { type Call, ClearError, orStopped } from '@campaign-mirror/adapters-cli/terminal';
import {
  type Contents,
  contentsOf,
  type DatabaseAddress,
  defaultPoolLimits,
  fillFrom,
  openPool,
} from '@campaign-mirror/adapters-persistence/sql';
import { clearFault } from '../database/connection-advice.ts';
import { dataFolder } from '../database/embedded-database.ts';
import { actOn, withDatabase } from '../operator/command-database.ts';
import { readCommandSettings } from '../operator/command-settings.ts';
import { isExternal, sourceSettings } from '../settings/external-database.ts';
import type { Settings } from '../settings/settings.ts';

const slowly = { ...defaultPoolLimits, size: 2, statementTimeout: 0, queryTimeout: 0 };

/**
 * Copies everything into the database of the settings: from the embedded one in the folder, or the source of the
 * settings. Returns the number of rows by table. @throws ClearError; Interrupted
 */
export async function copyInto(call: Call, folder?: string): Promise<Readonly<Record<string, number>>> {
  const { settings } = readCommandSettings(call);
  const source = sourceOf(settings, folder);
  const { signal } = call.interruption;
  let bar: Progress | undefined;
  const onProgress = (rows: number, all: number) => {
    bar ??= progress(call, 'Copying rows', all);
    bar.update(rows);
  };
  const fromSource = withDatabase(
    call,
    async (access) => {
      const address = access.address('owner');
      const { pool, close } = openPool(address, slowly, 'campaign-mirror copy');
      const contents = clearly(contentsOf(pool, signal), address);
      return actOn(call, openPool, { pace: 'unhurried', role: 'owner' }, ({ database }) =>
        fillFrom(contents, database.pool, signal, onProgress),
      ).finally(close);
    },
    { settings: source },
  );
  return fromSource
    .finally(() => bar?.stop())
    .catch((error) => {
      throw orStopped(error, 'Stopped. Nothing was copied.');
    });
}

/** The settings with the database to copy. @throws ClearError */
function sourceOf(settings: Settings, folder: string | undefined): Settings {
  if (folder?.includes('://'))
    throw new ClearError(
      '--from takes a folder: name a server by SOURCE_DATABASE_URL(_FILE), which hides its password',
      'usage',
    );
  const source = folder
    ? sourceSettings({ ...settings, SOURCE_DATABASE_URL: undefined, DATA_DIR: folder })
    : sourceSettings(settings);
  if (isExternal(source)) return source;
  const path = dataFolder(source);
  if (!isExternal(settings) && dataFolder(settings) === path)
    throw new ClearError(
      'name the database to copy into by DATABASE_URL or PGHOST, or the one to copy by --from or SOURCE_DATABASE_URL',
      'usage',
    );
  if (existsSync(join(path, 'cluster'))) return source;
  throw new ClearError(
    `there is no embedded database in ${path}: name the one to copy by --from, DATA_DIR or SOURCE_DATABASE_URL`,
  );
}

/** The contents; a fault of reading them names the source. @throws ClearError */
async function* clearly(contents: Contents, address: DatabaseAddress): Contents {
  try {
    yield* contents;
  } catch (error) {
    throw clearFault(error, address, 'acting', 'nothing was copied');
  }
}
