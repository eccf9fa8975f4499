import { type HotPathObserver, openDatabase, openHotPath } from '@campaign-mirror/adapters-persistence';
import { ContainerModule } from 'inversify';
import { openDatabaseAccess } from '../database/database-access.ts';
import { hotPathLog } from '../database/hot-path-log.ts';
import { twoObservers } from '../database/two-observers.ts';
import { keyUseCounts, poolGauges } from '../metrics/persistence-gauges.ts';
import { databaseEventCounts } from '../metrics/service-source.ts';
import type { Settings } from '../settings/settings.ts';
import { type Given, tokens } from './tokens.ts';

/** The database: yours, or the embedded one, which is stopped when this is unloaded. */
export const accessModule = ({ settings, log, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.access)
      .toResolvedValue(
        async (meters) => {
          const givenUp = (error: Error) =>
            life.fail(error, 'the embedded database could not be brought back');
          const access = await openDatabaseAccess(settings, log, givenUp, databaseEventCounts(meters));
          await access.becomeService().catch((error) => access.close().then(() => Promise.reject(error)));
          return access;
        },
        [tokens.meters],
      )
      .onDeactivation((access) => access.close());
  });

/** The connections, as the service's role. */
export const poolModule = ({ settings, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.database)
      .toResolvedValue(
        async (access, meters) => {
          const database = await openDatabase(access.address('service'), poolLimits(settings));
          meters.add(poolGauges(database, settings.POOL_SIZE));
          return database;
        },
        [tokens.access, tokens.meters],
      )
      .onDeactivation(async (database) => {
        if (!(await database.close()))
          life.hung('database pool', 'statements were under way and were cut off');
      });
  });

/** The ports of the use case. Unloaded before the connections, because the last key uses have yet to be written. */
export const portsModule = ({ settings, log, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.hotPath)
      .toResolvedValue(
        ({ pool }, access, meters, traces) => {
          let observer: HotPathObserver = twoObservers(meters.hotPath, hotPathLog(log));
          if (traces) observer = twoObservers(observer, traces.statements(access.address('service')));
          const options = { limits: poolLimits(settings), named: settings.DATABASE_POOLER === 'none' };
          const hotPath = openHotPath(pool, options, observer);
          meters.add(keyUseCounts(hotPath.uses));
          return hotPath;
        },
        [tokens.database, tokens.access, tokens.meters, tokens.traces],
      )
      .onDeactivation(async ({ uses }) => {
        if (!(await uses.stop()))
          life.hung('key uses', 'when keys were last used could not be written in time');
      });
    bind(tokens.campaigns).toResolvedValue(
      ({ campaigns }, traces) => traces?.campaigns(campaigns) ?? campaigns,
      [tokens.hotPath, tokens.traces],
    );
  });

function poolLimits(settings: Settings) {
  return {
    size: settings.POOL_SIZE,
    waitTimeout: settings.POOL_WAIT_TIMEOUT,
    statementTimeout: settings.STATEMENT_TIMEOUT,
    queryTimeout: settings.QUERY_TIMEOUT,
  };
}
