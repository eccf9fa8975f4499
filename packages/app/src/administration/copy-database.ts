import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, ClearError, orStopped } from '@campaign-mirror/adapters-cli/terminal';
import { copyDatabase, openPool } from '@campaign-mirror/adapters-persistence/sql';
import { clearFault } from '../database/connection-advice.ts';
import { type DatabaseAccess, dataFolder } from '../database/database-access.ts';
import { actOn, asOperator, type OperatorSession, withDatabase } from '../operator/command-database.ts';
import { isExternal, sourceSettings } from '../settings/external-database.ts';
import { readCommandSettings } from '../settings/read-settings.ts';

/**
 * Copies everything into the database of the settings: from the embedded one in the folder, or the source of the
 * settings. Returns the number of rows by table. @throws ClearError; Interrupted
 */
export async function copyInto(call: Call, folder?: string): Promise<Readonly<Record<string, number>>> {
  const url = 'SOURCE_DATABASE_URL or SOURCE_DATABASE_URL_FILE';
  if (folder?.includes('://'))
    throw new ClearError(
      `--from takes a folder: name a server by ${url}, where nobody sees its password`,
      'usage',
    );
  const settings = readCommandSettings(call);
  const source = sourceSettings({
    ...settings,
    ...(folder && { DATA_DIR: folder, SOURCE_DATABASE_URL: undefined }),
  });
  const path = dataFolder(source);
  if (!isExternal(source) && !isExternal(settings) && dataFolder(settings) === path)
    throw new ClearError(
      `name the database to copy into by DATABASE_URL or PGHOST, or the source by ${url}`,
      'usage',
    );
  if (!isExternal(source) && !existsSync(join(path, 'cluster')))
    throw new ClearError(`there is no embedded database in ${path}: name the source by --from or ${url}`);
  const copy = (access: DatabaseAccess) => {
    const fault = (error: unknown) =>
      clearFault(error, access.address('owner'), 'acting', 'nothing was copied');
    const from = ({ database: { pool } }: OperatorSession) =>
      actOn(call, openPool, { pace: 'unhurried', role: 'owner' }, ({ database }) =>
        copyDatabase(pool, database.pool, call.signal, fault),
      );
    return asOperator(openPool, access, from, 'copy', { statementTimeout: 0, queryTimeout: 0 }, 'owner');
  };
  return withDatabase(call, copy, false, source).catch((error) => {
    throw orStopped(error, 'Stopped. Nothing was copied.');
  });
}
