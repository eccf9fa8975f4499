import { openDatabase, openHotPath, openPool } from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { prepareDatabase } from '../database/prepare-database.ts';
import { throttled } from '../logging/log-events.ts';
import { hotPathMetrics, keyUseMetrics, poolMetrics } from '../metrics/database-metrics.ts';
import { nothingToShow, pageData } from '../ops-page/page-data.ts';
import type { Settings } from '../settings/settings.ts';
import { type ModuleInput, parts } from './tokens.ts';

/** The embedded database gets 20 s to write everything, then 15 s for an immediate shutdown; in milliseconds. */
const endTimeout = 45_000;

/** Each batch would repeat the line; milliseconds. */
const betweenRefusals = 60_000;

/** The database, yours or the embedded one, up to date; the connections as the service's role; the hot path on them. */
export const databaseModule = ({ settings, log, registry, life }: ModuleInput) =>
  new ContainerModule(({ bind }) => {
    let opened: DatabaseAccess | undefined;
    bind(parts.opened).toResolvedValue((_) => opened, [parts.setCampaignMirror]);
    bind(parts.access).toResolvedValue(async () => {
      const onLost = (error: Error) => life.fail(error, 'the embedded database ended by itself');
      const onWait = (line: string) => log.warn({ event: 'database-awaited' }, line);
      const access = await openDatabaseAccess(settings, log, { signal: life.ending, onWait, onLost });
      life.atEnd('database', access.close, endTimeout);
      await prepareDatabase(access, { settings, log, ending: life.ending });
      opened = access;
      return access;
    }, []);
    bind(parts.hotPath).toResolvedValue(
      async (access) => {
        const limits = poolLimits(settings);
        const database = await openDatabase(access.address('service'), limits);
        life.atEnd('database pool', async () => {
          if (!(await database.close()))
            life.reportHung('database pool', 'statements were under way and were cut off');
        });
        poolMetrics(registry, database, settings.POOL_SIZE);
        const metrics = hotPathMetrics(registry);
        const refusals = throttled(betweenRefusals);
        const refused: typeof metrics.refused = (statement, error) => {
          metrics.refused(statement, error);
          refusals((suppressed) =>
            log.error(
              { event: 'statement-refused', statement, suppressed, err: error },
              'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault',
            ),
          );
        };
        const options = { limits, prepared: settings.DATABASE_POOLER === 'none' };
        const hotPath = openHotPath(database.pool, options, { ...metrics, refused });
        // Before the connections: the last uses of keys have yet to be written.
        life.atEnd('key uses', async () => {
          if (!(await hotPath.uses.stop()))
            life.reportHung('key uses', 'when keys were last used could not be written in time');
        });
        keyUseMetrics(registry, hotPath.uses);
        return hotPath;
      },
      [parts.access],
    );
    bind(parts.pageData).toResolvedValue(
      (access) => {
        if (!access) return nothingToShow;
        const { pool, close } = openPool(
          access.address('service'),
          pageLimits(settings),
          'campaign-mirror pages',
        );
        life.atEnd('connection for pages', () => close(0));
        return pageData(pool, log);
      },
      [parts.opened],
    );
  });

/** On a connection of its own, so that a page disturbs nobody; in milliseconds. */
function pageLimits({ STATEMENT_TIMEOUT }: Settings) {
  const timeout = 1_000;
  const statementTimeout = STATEMENT_TIMEOUT > 0 ? timeout : 0;
  return { size: 1, waitTimeout: timeout, queryTimeout: timeout, statementTimeout };
}

function poolLimits({ POOL_SIZE: size, STATEMENT_TIMEOUT: statementTimeout }: Settings) {
  return {
    size,
    // How long a request waits for a connection, in milliseconds.
    waitTimeout: 3_000,
    statementTimeout,
    // For a server that no longer answers at all: a second more than it may take.
    queryTimeout: (statementTimeout || 5_000) + 1_000,
  };
}
