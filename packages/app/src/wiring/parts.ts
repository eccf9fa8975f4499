import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import * as http from '@campaign-mirror/adapters-http/service';
import { defaultPoolLimits, openDatabase, openHotPath } from '@campaign-mirror/adapters-persistence';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { ContainerModule } from 'inversify';
import { Registry } from 'prom-client';
import { type DatabaseAccess, openDatabaseAccess } from '../database/database-access.ts';
import { prepareDatabase } from '../database/prepare-database.ts';
import { openIdentity } from '../http/identity.ts';
import { limitsOf } from '../http/limits.ts';
import { throttled } from '../logging/log-events.ts';
import { hotPathMetrics, poolMetrics } from '../metrics/database-metrics.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import type { Settings } from '../settings/settings.ts';
import { expectFit, limited, names, type PartName } from './exchanged.ts';
import { loadFor, operatorsApplication } from './listeners.ts';
import { type ServiceInput, token, tokens } from './tokens.ts';

/** Only our own parts ask for it. */
const hotPath = token<ReturnType<typeof openHotPath>>('hot path');

/** For each of `tokens`, what is bound to it: if a module exchanged it, it fits, and its answers are limited in time. */
export const fit = Object.fromEntries(names.map((name) => [name, token(`fit ${name}`)])) as typeof tokens;

/** What has been asked for, and what has been made of our own parts. */
interface Made {
  /** The tokens whose parts are being made, each before those that it asks for. */
  readonly asked: Set<PartName>;
  database?: Promise<DatabaseAccess>;
  identity?: Awaited<ReturnType<typeof openIdentity>>;
}

/** The parts of the service as its settings have them. What nobody asks for is not made. */
export function ownParts(input: ServiceInput) {
  const { settings, log, registry, life } = input;
  const metrics = httpMetrics(registry);
  const callers = loadFor('callers', input, metrics);
  const operators = loadFor('operators', input, metrics);
  const made: Made = { asked: new Set() };
  const { MIRROR_HOST_DENYLIST: denied, CORS_ORIGINS: origins, DOCS } = settings;
  const limits = limitsOf(settings);
  const unchanged = new WeakSet<object>();
  const ours = <Part>(part: Part): Part => {
    if (part) unchanged.add(part);
    return part;
  };
  const module = new ContainerModule(({ bind }) => {
    bind(hotPath).toDynamicValue(async () => {
      made.database = openUpToDate(input);
      return openServiceHotPath(await made.database, input);
    });
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => ours(campaigns), [hotPath]);
    bind(tokens.identity).toDynamicValue(async (context) => {
      const keys = settings.IDENTITY === 'jwt' ? undefined : await context.getAsync(hotPath);
      made.identity = await openIdentity(settings, keys?.identity, log, registry, life);
      return ours(made.identity.identity);
    });
    bind(tokens.useCase).toResolvedValue(
      (campaigns, identity) => ours(new SetCampaignMirror(campaigns, identity, denied)),
      [fit.campaignRepository, fit.identity],
    );
    bind(tokens.callLimiter).toConstantValue(ours(limits.keys));
    bind(tokens.failedKeyLimiter).toConstantValue(ours(limits.failedKeys));
    bind(tokens.middleware).toConstantValue([]);
    bind(tokens.metrics).toConstantValue(ours(new Registry()));
    bind(tokens.application).toResolvedValue(
      (useCase, keys, failedKeys, middleware) => {
        const isWellFormed = made.identity?.isWellFormed ?? (() => true);
        const pages = interfacePages({ docs: DOCS === 'on' });
        const more = { isWellFormed, middleware, origins, pages };
        return ours(http.application({ ...callers, useCase, limits: { keys, failedKeys }, ...more }));
      },
      [fit.useCase, fit.callLimiter, fit.failedKeyLimiter, fit.middleware],
    );
    bind(tokens.opsApplication).toResolvedValue(
      async (more) => ours(operatorsApplication(input, operators, more, await made.database)),
      [fit.metrics],
    );
    for (const name of names)
      bind<unknown>(fit[name]).toDynamicValue(async (context) => {
        life.ending.throwIfAborted();
        made.asked.add(name);
        const part = await context.getAsync<unknown>(tokens[name]);
        made.asked.delete(name);
        if (unchanged.has(part as object)) return part;
        expectFit(name, part);
        return part && limited(name, part, poolLimits(settings).queryTimeout);
      });
  });
  return { module, made, callers, operators };
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
  poolMetrics(registry, database.pool, settings.POOL_SIZE);

  const report = throttled(log, 'error');
  const refused = (statement: string, error: unknown) =>
    report(
      { event: 'statement-refused', statement, err: error },
      'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault',
    );
  const observer = { ...hotPathMetrics(registry), refused };
  return openHotPath(database.pool, { limits, prepared: settings.DATABASE_POOLER === 'none', observer });
}

function poolLimits({ POOL_SIZE: size, STATEMENT_TIMEOUT: statementTimeout }: Settings) {
  // A server that no longer answers is awaited for a second more than a statement may take.
  const queryTimeout = statementTimeout ? statementTimeout + 1_000 : defaultPoolLimits.queryTimeout;
  return { ...defaultPoolLimits, size, statementTimeout, queryTimeout };
}
