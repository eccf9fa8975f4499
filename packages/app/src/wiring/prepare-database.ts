import type { Container } from 'inversify';
import type { DatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase, migrateClearly } from '../database/database-start.ts';
import { otherEncoding } from '../database/start-faults.ts';
import { warnOfPool, warnOfRights } from '../database/start-warnings.ts';
import { type Given, tokens } from './tokens.ts';

/** Makes the database available and up to date, once for all processes of the service. @throws ClearError */
export async function prepareDatabase(
  container: Container,
  { settings, log, life: { ending } }: Given,
): Promise<DatabaseAccess> {
  const access = await container.getAsync(tokens.access);
  const owner = access.address('owner');
  const encoding = await awaitDatabase(owner, settings.DATABASE_WAIT, log, ending);
  if (encoding !== undefined && encoding !== 'UTF8') throw otherEncoding(encoding, owner);
  if (settings.RUN_MIGRATIONS === 'true') {
    await migrateClearly(owner, (event, line) => log.warn({ event }, line), { givenUp: ending });
  }
  const isDirect = settings.DATABASE_POOLER === 'none';
  if (isDirect && !ending.aborted) await warnOfPool(access.address('service'), settings.POOL_SIZE, log);
  if (!ending.aborted) await warnOfRights(access.address('service'), log);
  return access;
}
