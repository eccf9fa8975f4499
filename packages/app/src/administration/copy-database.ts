import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, ClearError, orStopped } from '@campaign-mirror/adapters-cli/terminal';
import { copyDatabase, openPool } from '@campaign-mirror/adapters-persistence/sql';
import { clearFault } from '../database/connection-advice.ts';
import { dataFolder } from '../database/database-access.ts';
import { actOn, asOperator, withDatabase } from '../operator/command-database.ts';
import { isExternal, sourceSettings } from '../settings/external-database.ts';
import { readCommandSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Copies everything into the database of the settings: from the embedded one in the folder, or the source of the
 * settings. Returns the number of rows by table. @throws ClearError; Interrupted
 */
export async function copyInto(call: Call, folder?: string): Promise<Readonly<Record<string, number>>> {
  const source = sourceOf(readCommandSettings(call).settings, folder);
  const copying = withDatabase(
    call,
    (access) => {
      const sourceFault = (error: unknown) =>
        clearFault(error, access.address('owner'), 'acting', 'nothing was copied');
      const from = ({ database: { pool: source } }: { database: ReturnType<typeof openPool> }) =>
        actOn(call, openPool, { pace: 'unhurried', role: 'owner' }, ({ database: { pool: target } }) =>
          copyDatabase({ source, target, signal: call.signal, sourceFault }),
        );
      return asOperator(openPool, access, from, 'copy', { statementTimeout: 0, queryTimeout: 0 }, 'owner');
    },
    false,
    { settings: source },
  );
  return copying.catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was copied.');
  });
}

/** The settings with the database to copy. @throws ClearError */
function sourceOf(settings: Settings, folder: string | undefined): Settings {
  const url = 'SOURCE_DATABASE_URL or SOURCE_DATABASE_URL_FILE';
  if (folder?.includes('://'))
    throw new ClearError(
      `--from takes a folder: name a server by ${url}, where nobody sees its password`,
      'usage',
    );
  const embedded = { ...settings, DATA_DIR: folder ?? settings.DATA_DIR, SOURCE_DATABASE_URL: undefined };
  const source = sourceSettings(folder ? embedded : settings);
  const path = dataFolder(source);
  if (!isExternal(source) && !isExternal(settings) && dataFolder(settings) === path)
    throw new ClearError(
      `name the database to copy into by DATABASE_URL or PGHOST, or the source by ${url}`,
      'usage',
    );
  if (!isExternal(source) && !existsSync(join(path, 'cluster')))
    throw new ClearError(`there is no embedded database in ${path}: name the source by --from or ${url}`);
  return source;
}
