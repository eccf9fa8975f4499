import { HttpServer, koaHandler, opsHandler, Replies } from '@campaign-mirror/adapters-http';
import {
  type DatabaseAddress,
  GroupCommit,
  type HotPath,
  heldAtMost,
  KeyUses,
  openDatabase,
  PostgresCampaigns,
  PostgresIdentity,
  SingleStatements,
  Statements,
} from '@campaign-mirror/adapters-persistence';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { type DatabaseAccess, openDatabaseAccess } from './database-access.ts';
import { httpLog } from './http-log.ts';
import type { Log } from './log.ts';
import type { LogLines } from './log-lines.ts';
import { Readiness } from './readiness.ts';
import type { Settings } from './settings.ts';
import { tokens } from './tokens.ts';

/** What the modules are given from outside the container. */
export interface Given {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  /** The embedded database was lost and could not be brought back. */
  readonly onDatabaseLost: (error: Error) => void;
}

/** The settings and the log. */
export const givenModule = ({ settings, log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.settings).toConstantValue(settings);
    bind(tokens.log).toConstantValue(log);
  });

/** The database itself: yours, or the embedded one, which is stopped when this is unloaded. */
export const accessModule = ({ onDatabaseLost }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.access)
      .toResolvedValue(
        async (settings: Settings, log: Log) => {
          const access = await openDatabaseAccess(settings, log, onDatabaseLost);
          await access.becomeService().catch((error) => access.close().then(() => Promise.reject(error)));
          return access;
        },
        [tokens.settings, tokens.log],
      )
      .inSingletonScope()
      .onDeactivation((access) => access.close());
  });

/** The ports' adapters on PostgreSQL, as the service's role. */
export const persistenceModule = new ContainerModule(({ bind }) => {
  bind(tokens.database)
    .toResolvedValue(
      (access: DatabaseAccess, settings: Settings) =>
        openServiceDatabase(access.address('service'), settings),
      [tokens.access, tokens.settings],
    )
    .inSingletonScope()
    .onDeactivation((database) => database.close());
  bind(tokens.statements)
    .toResolvedValue(
      (database, settings: Settings) =>
        new Statements(database.pool, { named: settings.NAMED_STATEMENTS === 'on' }),
      [tokens.database, tokens.settings],
    )
    .inSingletonScope();
  bind(tokens.hotPath).toResolvedValue(openHotPath, [tokens.statements, tokens.settings]).inSingletonScope();
  bind(tokens.campaigns)
    .toResolvedValue((hotPath) => new PostgresCampaigns(hotPath), [tokens.hotPath])
    .inSingletonScope();
});

/** Who calls. Unloaded before the database is: the keys' last uses are still to be written. */
export const identityModule = new ContainerModule(({ bind }) => {
  bind(tokens.keyUses)
    .toResolvedValue((database) => new KeyUses(database.pool), [tokens.database])
    .inSingletonScope()
    .onDeactivation((uses) => uses.stop());
  bind(tokens.identity)
    .toResolvedValue(
      (hotPath: HotPath, settings: Settings, uses: KeyUses) =>
        new PostgresIdentity(hotPath, { cacheSeconds: settings.KEY_CACHE_SECONDS, uses }),
      [tokens.hotPath, tokens.settings, tokens.keyUses],
    )
    .inSingletonScope();
});

function openServiceDatabase(address: DatabaseAddress, settings: Settings) {
  const limits = {
    size: settings.POOL_SIZE,
    waitTimeout: settings.POOL_WAIT_TIMEOUT,
    statementTimeout: settings.STATEMENT_TIMEOUT,
    queryTimeout: settings.QUERY_TIMEOUT,
  };
  return openDatabase(address, limits);
}

function openHotPath(statements: Statements, settings: Settings): HotPath {
  if (settings.GROUP_COMMIT === 'off') return new SingleStatements(statements);
  const limits = { most: heldAtMost(settings.POOL_SIZE), patience: settings.POOL_WAIT_TIMEOUT };
  return new GroupCommit(statements, limits);
}

/** The use case. */
export const coreModule = new ContainerModule(({ bind }) => {
  bind(tokens.setCampaignMirror)
    .toResolvedValue(
      (campaigns, identity, settings: Settings) =>
        new SetCampaignMirror(campaigns, identity, settings.MIRROR_HOST_DENYLIST),
      [tokens.campaigns, tokens.identity, tokens.settings],
    )
    .inSingletonScope();
});

/** The HTTP listener for callers, which drains when this is unloaded. */
export const httpModule = ({ settings: { SHUTDOWN_TIMEOUT }, log: ours, lines }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.http)
      .toResolvedValue(
        (useCase: SetCampaignMirror, settings: Settings, log: Log) => {
          const replies = new Replies({ retryAfter: settings.RETRY_AFTER });
          const shared = { replies, log: httpLog(log, lines), bodyLimit: settings.BODY_LIMIT };
          return new HttpServer(shared, koaHandler({ ...shared, useCase }));
        },
        [tokens.setCampaignMirror, tokens.settings, tokens.log],
      )
      .inSingletonScope()
      .onDeactivation(async (http) => {
        const unfinished = await http.drain(SHUTDOWN_TIMEOUT);
        if (unfinished === 0) return;
        ours.warn(
          { event: 'drain-timed-out', unfinished },
          `${unfinished} requests were unfinished and got 503`,
        );
      });
  });

/** The listener for operators. */
export const opsModule = ({ lines }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.readiness)
      .toResolvedValue((database) => new Readiness(database), [tokens.database])
      .inSingletonScope();
    bind(tokens.ops)
      .toResolvedValue(
        (readiness: Readiness, settings: Settings, log: Log) => {
          const replies = new Replies({ retryAfter: settings.RETRY_AFTER });
          // Probed every second by somebody: at `debug`.
          const shared = { replies, log: httpLog(log, lines, 'debug'), bodyLimit: settings.BODY_LIMIT };
          return new HttpServer(
            shared,
            opsHandler(() => readiness.checks()),
          );
        },
        [tokens.readiness, tokens.settings, tokens.log],
      )
      .inSingletonScope()
      .onDeactivation(async (ops) => void (await ops.drain(0)));
  });
