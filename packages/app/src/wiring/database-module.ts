import {
  defaultPoolLimits,
  type OpenHotPath,
  openDatabase,
  openHotPath,
  openPool,
} from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { prepareDatabase } from '../database/prepare-database.ts';
import { throttled } from '../logging/log-events.ts';
import { hotPathMetrics, keyUseMetrics, poolMetrics } from '../metrics/database-metrics.ts';
import { nothingToShow, type PageData, pageData } from '../ops-page/page-data.ts';
import type { Settings } from '../settings/settings.ts';
import { type ModuleInput, parts, tokens } from './tokens.ts';

/** The database, yours or the embedded one; the hot path, and the data of the pages, on connections of the service's role. */
export const databaseModule = (input: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    let opened: DatabaseAccess | undefined;
    let deniedHosts = input.settings.MIRROR_HOST_DENYLIST;
    bind(parts.database).toResolvedValue(async () => {
      const database = await openUpToDate(input);
      opened = database.access;
      deniedHosts = database.deniedHosts ?? deniedHosts;
      return opened;
    }, []);
    bind(parts.hotPath).toResolvedValue((database) => openServiceHotPath(database, input), [parts.database]);
    // Resolved after both ports of the use case, in the same way.
    bind(parts.deniedHosts).toResolvedValue(
      (_, __) => deniedHosts,
      [tokens.campaignRepository, tokens.identity],
    );
    // Resolved after the use case: only then it is known whether that needs the database.
    bind(parts.openedDatabase).toResolvedValue((_) => opened, [parts.setCampaignMirror]);
    bind(parts.pageData).toResolvedValue(
      (database) => (database ? openPageData(database, input) : nothingToShow),
      [parts.openedDatabase],
    );
  });

/** How long the end may take, in milliseconds: the embedded database gets 20 s to write everything, then 15 s for an immediate shutdown. */
const endTimeout = 45_000;

async function openUpToDate({ settings, log, life }: ModuleInput) {
  const access = await openDatabaseAccess(settings, {
    log,
    signal: life.ending,
    onWait: (line) => log.warn({ event: 'database-awaited' }, line),
    onLost: (error) => life.fail(error, 'the embedded database ended by itself'),
  });
  life.atEnd('database', access.close, endTimeout);
  return { access, deniedHosts: await prepareDatabase(access, { settings, log, ending: life.ending }) };
}

async function openServiceHotPath(
  access: DatabaseAccess,
  { settings, log, registry, life }: ModuleInput,
): Promise<OpenHotPath> {
  const limits = poolLimits(settings);
  const database = await openDatabase(access.address('service'), limits);
  life.atEnd('database pool', async () => {
    const isComplete = await database.close();
    if (!isComplete) life.reportHung('database pool', 'statements were under way and were cut off');
  });
  poolMetrics(registry, database, settings.POOL_SIZE);

  const report = throttled(log, 'error');
  const refused = (statement: string, error: unknown) =>
    report(
      { event: 'statement-refused', statement, err: error },
      'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault',
    );
  const options = { limits, prepared: settings.DATABASE_POOLER === 'none' };
  const hotPath = openHotPath(database.pool, options, { ...hotPathMetrics(registry), refused });
  // This ends before the pool does: the last uses of keys have yet to be written.
  life.atEnd('key uses', async () => {
    const isWritten = await hotPath.uses.stop();
    if (!isWritten) life.reportHung('key uses', 'when keys were last used could not be written in time');
  });
  keyUseMetrics(registry, hotPath.uses);
  return hotPath;
}

function poolLimits({ POOL_SIZE: size, STATEMENT_TIMEOUT: statementTimeout }: Settings) {
  // A server that no longer answers is awaited for a second more than a statement may take.
  const queryTimeout = statementTimeout ? statementTimeout + 1_000 : defaultPoolLimits.queryTimeout;
  return { ...defaultPoolLimits, size, statementTimeout, queryTimeout };
}

/** How long a page may wait for the database, in milliseconds. */
const pageTimeout = 1_000;

/** The data of the pages is read on a connection of its own, so that a page delays no request. */
function openPageData(database: DatabaseAccess, { settings, log, life }: ModuleInput): PageData {
  const limits = {
    size: 1,
    waitTimeout: pageTimeout,
    queryTimeout: pageTimeout,
    statementTimeout: settings.STATEMENT_TIMEOUT > 0 ? pageTimeout : 0,
  };
  const { pool, close } = openPool(database.address('service'), limits, 'campaign-mirror pages');
  life.atEnd('connection for pages', () => close(0));
  return pageData(pool, log);
}
