import {
  AnswerHeaders,
  HttpServer,
  interfacePages,
  koaHandler,
  noProxies,
  type OpsAnswer,
  opsHandler,
  Replies,
  type Unfinished,
} from '@campaign-mirror/adapters-http';
import {
  type DatabaseAddress,
  type DatabaseProbe,
  GroupCommit,
  type HotPath,
  type HotPathObserver,
  heldAtMost,
  KeyUses,
  openDatabase,
  openProbe,
  PostgresCampaigns,
  PostgresIdentity,
  Statements,
} from '@campaign-mirror/adapters-persistence';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { hotPathLog } from '../database/hot-path-log.ts';
import { TwoObservers } from '../database/two-observers.ts';
import { limitsLog } from '../limits/limit-observer.ts';
import { type CountsOf, type Limits, openLimits } from '../limits/open-limits.ts';
import { httpLog } from '../listeners/http-log.ts';
import { callersCapacity, callersDeadlines, operatorsCapacity } from '../listeners/listener-limits.ts';
import { tellOfUnfinished } from '../listeners/unfinished-requests.ts';
import type { Log } from '../logging/log.ts';
import type { LogLines } from '../logging/log-lines.ts';
import { databaseEventCounts } from '../metrics/database-events.ts';
import { httpGauges } from '../metrics/http-gauges.ts';
import type { Meters } from '../metrics/meters.ts';
import { keyUseCounts, poolGauges } from '../metrics/persistence-gauges.ts';
import { metricsPage, type Scrape } from '../metrics/scrape.ts';
import { serviceSource } from '../metrics/service-source.ts';
import type { Life } from '../process/life.ts';
import { type Health, Readiness } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import type { Settings } from '../settings/settings.ts';
import type { Traces } from '../traces/traces.ts';
import { tokens } from './tokens.ts';

/** What the modules are given from outside the container. */
export interface Given {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  /** Of the log, so far. */
  readonly lostLines: () => number;
  readonly life: Life;
}

/** The settings and the log. */
export const givenModule = ({ settings, log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.settings).toConstantValue(settings);
    bind(tokens.log).toConstantValue(log);
  });

/** The database itself: yours, or the embedded one, which is stopped when this is unloaded. */
export const accessModule = ({ life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.access)
      .toResolvedValue(
        async (settings: Settings, log: Log, meters: Meters) => {
          const givenUp = (error: Error) =>
            life.fail(error, 'the embedded database could not be brought back');
          const access = await openDatabaseAccess(settings, log, givenUp, databaseEventCounts(meters));
          await access.becomeService().catch((error) => access.close().then(() => Promise.reject(error)));
          return access;
        },
        [tokens.settings, tokens.log, tokens.meters],
      )
      .inSingletonScope()
      .onDeactivation((access) => access.close());
  });

/** The ports' adapters on PostgreSQL, as the service's role. */
export const persistenceModule = ({ life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.hotPathObserver)
      .toResolvedValue(
        (access: DatabaseAccess, { hotPath }: Meters, log: Log, traces: Traces | undefined) => {
          const counted = new TwoObservers(hotPath, hotPathLog(log));
          return traces ? new TwoObservers(counted, traces.statements(access.address('service'))) : counted;
        },
        [tokens.access, tokens.meters, tokens.log, tokens.traces],
      )
      .inSingletonScope();
    bind(tokens.database)
      .toResolvedValue(
        async (access: DatabaseAccess, settings: Settings, meters: Meters) => {
          const database = await openServiceDatabase(access.address('service'), settings);
          meters.add(poolGauges(database, settings.POOL_SIZE));
          return database;
        },
        [tokens.access, tokens.settings, tokens.meters],
      )
      .inSingletonScope()
      .onDeactivation(async (database) => {
        if (!(await database.close()))
          life.hung('database pool', 'statements were under way and were cut off');
      });
    bind(tokens.statements)
      .toResolvedValue(
        (database, settings: Settings, observer: HotPathObserver) =>
          new Statements(database.pool, { named: settings.NAMED_STATEMENTS === 'on' }, observer),
        [tokens.database, tokens.settings, tokens.hotPathObserver],
      )
      .inSingletonScope();
    bind(tokens.hotPath)
      .toResolvedValue(openHotPath, [tokens.statements, tokens.settings, tokens.hotPathObserver])
      .inSingletonScope();
    bind(tokens.campaigns)
      .toResolvedValue(
        (hotPath: HotPath, observer: HotPathObserver, uses: KeyUses, traces: Traces | undefined) => {
          const campaigns = new PostgresCampaigns(hotPath, { observer, uses });
          return traces ? traces.campaigns(campaigns) : campaigns;
        },
        [tokens.hotPath, tokens.hotPathObserver, tokens.keyUses, tokens.traces],
      )
      .inSingletonScope();
  });

/** Who calls. Unloaded before the database is: the keys' last uses are still to be written. */
export const identityModule = ({ life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.keyUses)
      .toResolvedValue(
        (database, meters: Meters) => {
          const uses = new KeyUses(database.pool);
          meters.add(keyUseCounts(uses));
          return uses;
        },
        [tokens.database, tokens.meters],
      )
      .inSingletonScope()
      .onDeactivation(async (uses) => {
        if (!(await uses.stop()))
          life.hung('key uses', 'when keys were last used could not be written in time');
      });
    bind(tokens.identity)
      .toResolvedValue(
        (hotPath: HotPath, uses: KeyUses, traces: Traces | undefined) => {
          const identity = new PostgresIdentity(hotPath, { uses });
          return traces ? traces.identity(identity) : identity;
        },
        [tokens.hotPath, tokens.keyUses, tokens.traces],
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

function openHotPath(statements: Statements, settings: Settings, observer: HotPathObserver): HotPath {
  const limits = { maxHeld: heldAtMost(settings.POOL_SIZE), timeout: settings.POOL_WAIT_TIMEOUT };
  return new GroupCommit(statements, limits, observer);
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

/** How often keys and addresses may call. `shared`: where all processes count that are not to count by themselves. */
export const limitsModule = ({ settings }: Given, shared?: CountsOf) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.limitObserver).toResolvedValue(limitsLog, [tokens.log]).inSingletonScope();
    bind(tokens.limits)
      .toResolvedValue((observer) => openLimits(settings, observer, shared), [tokens.limitObserver])
      .inSingletonScope()
      .onDeactivation((limits) => limits.close());
  });

/** The HTTP listener for callers, which drains when this is unloaded. */
export const httpModule = ({ settings: { SHUTDOWN_TIMEOUT }, lines, life }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.http)
      .toResolvedValue(
        (useCase, open: Limits, settings: Settings, log: Log, meters: Meters, traces: Traces | undefined) => {
          const replies = new Replies({ retryAfter: settings.RETRY_AFTER });
          const capacity = callersCapacity(settings, log);
          const shared = { replies, capacity, log: httpLog(log, lines), bodyLimit: settings.BODY_LIMIT };
          const proxies = settings.TRUSTED_PROXIES ?? noProxies;
          const deadlines = callersDeadlines(settings);
          const { keys, failedKeys } = open;
          const limits = { ...(keys && { keys }), ...(failedKeys && { failedKeys }) };
          const answerHeaders = answerHeadersOf(settings);
          const pages = interfacePages(replies, settings.BODY_LIMIT, { docs: settings.DOCS === 'on' });
          const observer = meters.callers;
          const server = new HttpServer(
            {
              ...shared,
              ...(traces && { traces: traces.requests }),
              observer,
              proxies,
              deadlines,
              answerHeaders,
            },
            koaHandler({ ...shared, useCase, limits, pages }),
          );
          meters.add(httpGauges('callers', server, capacity));
          return server;
        },
        [tokens.setCampaignMirror, tokens.limits, tokens.settings, tokens.log, tokens.meters, tokens.traces],
      )
      .inSingletonScope()
      .onDeactivation(async (http) => {
        const onGivenUp = (left: readonly Unfinished[]) => tellOfUnfinished(left, life);
        await http.drain(SHUTDOWN_TIMEOUT, { letIdleAsk: life.isRelieved, onGivenUp });
      });
  });

function answerHeadersOf({ HSTS_SECONDS, CORS_ORIGINS = [] }: Settings): AnswerHeaders {
  return new AnswerHeaders({ hstsSeconds: HSTS_SECONDS, origins: CORS_ORIGINS });
}

/** How a process is that serves all by itself. */
export const ownHealthModule = new ContainerModule(({ bind }) => {
  bind(tokens.health)
    .toResolvedValue(
      (readiness): Health => ({ readiness: () => readiness.checks(), liveness: () => ({}) }),
      [tokens.readiness],
    )
    .inSingletonScope();
});

/** The listener for operators. */
export const opsModule = ({ lines }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.probe)
      .toResolvedValue(
        (access: DatabaseAccess, settings: Settings) =>
          openProbe(access.address('service'), {
            timeout: settings.READINESS_TIMEOUT,
            statementTimeout: settings.STATEMENT_TIMEOUT > 0,
          }),
        [tokens.access, tokens.settings],
      )
      .inSingletonScope()
      .onDeactivation((probe) => probe.close());
    bind(tokens.readiness)
      .toResolvedValue((probe) => new Readiness(() => probe.ask()), [tokens.probe])
      .inSingletonScope();
    bind(tokens.ops)
      .toResolvedValue(
        (
          health: Health,
          settings: Settings,
          log: Log,
          meters: Meters,
          scrape: Scrape,
          probe: DatabaseProbe,
          page: Readonly<Record<string, OpsAnswer>>,
        ) => {
          const replies = new Replies({ retryAfter: settings.RETRY_AFTER });
          // Probed every second by somebody: at `debug`.
          const shared = { replies, log: httpLog(log, lines, 'debug'), bodyLimit: settings.BODY_LIMIT };
          const capacity = operatorsCapacity(log);
          const more = settings.METRICS === 'on' ? { '/metrics': metricsPage(scrape, log) } : {};
          const server = new HttpServer(
            { ...shared, observer: meters.operators, capacity },
            opsHandler(health.readiness, version(), health.liveness, { ...page, ...more }),
          );
          meters.add(httpGauges('operators', server, capacity));
          scrape.add(serviceSource(health, probe));
          return server;
        },
        [
          tokens.health,
          tokens.settings,
          tokens.log,
          tokens.meters,
          tokens.scrape,
          tokens.probe,
          tokens.opsPage,
        ],
      )
      .inSingletonScope()
      .onDeactivation(async (ops) => void (await ops.drain(0)));
  });
