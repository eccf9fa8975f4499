import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import * as http from '@campaign-mirror/adapters-http/service';
import { defaultPoolLimits, openDatabase, openHotPath } from '@campaign-mirror/adapters-persistence';
import { openProbe } from '@campaign-mirror/adapters-persistence/service';
import { maxAttempts, SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { prepareDatabase } from '../database/prepare-database.ts';
import { openIdentity } from '../http/identity.ts';
import { limiterOf } from '../http/limits.ts';
import { listenerFor } from '../http/listener.ts';
import { throttled } from '../logging/log-events.ts';
import { databaseMetrics, httpMetrics } from '../metrics/call-metrics.ts';
import { serviceMetrics } from '../metrics/metrics.ts';
import { opsPage } from '../ops-page/page.ts';
import { readinessOf } from '../process/readiness.ts';
import type { Settings } from '../settings/settings.ts';
import { type KoaApplication, type ServiceInput, token, tokens } from './tokens.ts';

/** Only our own parts ask for it. */
const hotPath = token<ReturnType<typeof openHotPath>>('hot path');

/** The parts of the service as its settings have them. What nobody asks for is not made. */
export function ownParts(input: ServiceInput) {
  const { settings, log, registry, life } = input;
  const metrics = httpMetrics(registry);
  const callers = listenerFor('callers', { ...input, metrics });
  const operators = listenerFor('operators', { ...input, metrics });
  const all = new Set<unknown>();
  const ours = <Part>(part: Part): Part => {
    all.add(part);
    return part;
  };
  const isOurs = (part: unknown) => part !== undefined && all.has(part);
  /** What was opened, because a part needs it. */
  let database: Promise<DatabaseAccess> | undefined;
  let identity: Awaited<ReturnType<typeof openIdentity>> | undefined;
  const module = new ContainerModule(({ bind }) => {
    bind(hotPath).toDynamicValue(async () => {
      database = openUpToDate(input);
      return openServiceHotPath(await database, input);
    });
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => ours(campaigns), [hotPath]);
    bind(tokens.identity).toDynamicValue(async (context) => {
      const keys = settings.IDENTITY === 'jwt' ? undefined : await context.getAsync(hotPath);
      identity = await openIdentity(settings, keys?.identity, log, registry, life);
      return ours(identity.identity);
    });
    bind(tokens.useCase).toResolvedValue(
      (campaigns, identity) =>
        ours(new SetCampaignMirror(campaigns, identity, settings.MIRROR_HOST_DENYLIST)),
      [tokens.campaignRepository, tokens.identity],
    );
    bind(tokens.callLimiter).toConstantValue(ours(settings.RATE_LIMIT && limiterOf(settings.RATE_LIMIT)));
    bind(tokens.failedKeyLimiter).toConstantValue(
      ours(settings.FAILED_KEY_LIMIT && limiterOf(settings.FAILED_KEY_LIMIT)),
    );
    bind(tokens.middleware).toConstantValue(ours([]));
    bind(tokens.metrics).toConstantValue(ours(new Registry()));
    bind(tokens.application).toResolvedValue(
      (useCase, keys, failedKeys, middleware) => {
        const { isWellFormed = () => true } = identity ?? {};
        const pages = interfacePages({ docs: settings.DOCS === 'on' });
        const more = { isWellFormed, middleware, origins: settings.CORS_ORIGINS, pages };
        return ours(http.application({ ...callers, useCase, limits: { keys, failedKeys }, ...more }));
      },
      [tokens.useCase, tokens.callLimiter, tokens.failedKeyLimiter, tokens.middleware],
    );
    bind(tokens.opsApplication).toResolvedValue(
      async (ofModules) => ours(operatorsApplication(input, operators, ofModules, await database)),
      [tokens.metrics],
    );
  });
  const limit = poolLimits(settings).queryTimeout;
  // Ours may wait for a mirror that is locked at every attempt; one of somebody else, as long as any of its parts.
  const standstillOf = (app: unknown) =>
    isOurs(app) ? 75_000 + maxAttempts * settings.STATEMENT_TIMEOUT : limit;
  const opened = async () => ({
    database: await database,
    acceptsKeys: identity && settings.IDENTITY !== 'jwt',
  });
  return { module, isOurs, limit, standstillOf, opened, callers, operators };
}

/** How long the database may take to answer for `/readyz`, in milliseconds. */
const probeTimeout = 1_000;

/** Health, metrics and the page for operators. @throws ClearError if a module has metrics of the service's names */
function operatorsApplication(
  { settings, version, registry, life }: ServiceInput,
  listener: ReturnType<typeof listenerFor>,
  ofModules: Registry,
  database: DatabaseAccess | undefined,
): KoaApplication {
  const probe = database && openProbe(database.address('service'), probeTimeout);
  if (probe) life.atEnd('probe', probe.close);
  const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);
  serviceMetrics(registry, version, readiness, probe);
  const { contentType } = registry;
  const merged = () => Registry.merge([registry, ofModules]);
  try {
    merged();
  } catch (error) {
    throw new ClearError(`tokens.metrics does not fit: ${(error as Error).message}`);
  }
  const scrape: http.Page = async () => ({ status: 200, contentType, body: await merged().metrics() });
  const names = [settings.OPS_HOST, ...(settings.OPS_NAMES ?? [])].map((name) => name.toLowerCase());
  const more = { ...opsPage(), '/metrics': scrape };
  return http.opsApplication({ ...listener, readiness, version, more, names });
}

/** How long the end may take, in milliseconds: the embedded database gets 35 s to write everything. */
const endTimeout = 45_000;

async function openUpToDate({ settings, log, life }: ServiceInput) {
  const access = await openDatabaseAccess(settings, {
    log,
    signal: life.ending,
    onWait: (line) => log.warn({ event: 'database-awaited' }, line),
    onLost: (error) => life.fail(error, 'the embedded database ended by itself'),
  });
  life.atEnd('database', access.close, endTimeout);
  await prepareDatabase(access, { settings, log, ending: life.ending });
  return access;
}

async function openServiceHotPath(access: DatabaseAccess, { settings, log, registry, life }: ServiceInput) {
  const limits = poolLimits(settings);
  const database = await openDatabase(access.address('service'), limits);
  life.atEnd('database pool', async () => {
    const isComplete = await database.close();
    if (!isComplete) life.reportHung('database pool', 'statements were under way and were cut off');
  });

  const report = throttled(log, 'error');
  const refused = (statement: string, error: unknown) =>
    report(
      { event: 'statement-refused', statement, err: error },
      'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault',
    );
  const observer = { ...databaseMetrics(registry, database.pool, settings.POOL_SIZE), refused };
  return openHotPath(database.pool, { limits, prepared: settings.DATABASE_POOLER === 'none', observer });
}

function poolLimits({ POOL_SIZE: size, STATEMENT_TIMEOUT: statementTimeout }: Settings) {
  // A server that no longer answers is awaited for a second more than a statement may take.
  const queryTimeout = statementTimeout ? statementTimeout + 1_000 : defaultPoolLimits.queryTimeout;
  return { ...defaultPoolLimits, size, statementTimeout, queryTimeout };
}
