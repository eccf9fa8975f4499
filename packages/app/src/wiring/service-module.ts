/* The parts of the service, as its settings choose them. Modules of a user may rebind or decorate them. */
import { readFileSync } from 'node:fs';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import * as http from '@campaign-mirror/adapters-http/service';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { type CampaignRepository, type Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import { type Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { Registry } from 'prom-client';
import * as v from 'valibot';
import { type DatabaseAccess, openDatabaseAccess, prepareDatabase } from '../database/database-access.ts';
import { limiterOf, openIdentity } from '../http/callers.ts';
import { listenerFor } from '../http/listeners.ts';
import { throttled } from '../logging/log-events.ts';
import { databaseMetrics, httpMetrics } from '../metrics/call-metrics.ts';
import { serviceMetrics } from '../metrics/service-metrics.ts';
import { readinessOf, type ServiceInput } from '../process/life.ts';

/** A symbol with the type of its part. TypeScript narrows a constant symbol to `symbol`, without that type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** A Koa application. */
export interface KoaApplication extends ReturnType<typeof http.application> {}

/** The parts of the service that your module may rebind or decorate. The start refuses a part that does not fit. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. Yours gets every bearer token. */
  identity: token<Identity>('identity'),
  /** By default made of both ports. Yours may wrap it. */
  useCase: token<http.ApplicationSettings['useCase']>('useCase'),
  /** How often a caller may call, by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<http.Limiter | undefined>('callLimiter'),
  /** How often an address may send refused credentials, as FAILED_KEY_LIMIT says; undefined without a limit. */
  failedKeyLimiter: token<http.Limiter | undefined>('failedKeyLimiter'),
  /** Koa middleware before the checks of the route; none by default. It must not read the body. */
  middleware: token<readonly http.Middleware[]>('middleware'),
  /** More metrics for `/metrics`, with names that the service does not use; none by default. */
  metrics: token<Registry>('metrics'),
  /** The Koa application for callers, by default made of the use case, the limiters and the middleware. */
  application: token<KoaApplication>('application'),
  /** The Koa application for operators: health, metrics and their page. */
  opsApplication: token<KoaApplication>('opsApplication'),
};

const method = v.function();
const limiter = v.optional(v.object({ rate: v.object({ limit: v.number() }), count: method }));
const koa = v.object({ callback: method });

/** The methods and fields that each part must have. Without them, every call would be answered 500. */
const shapes: Readonly<Record<keyof typeof tokens, v.GenericSchema>> = {
  campaignRepository: v.object({ find: method, setMirror: method }),
  identity: v.object({ whoIs: method }),
  useCase: v.object({ identify: method, execute: method }),
  callLimiter: limiter,
  failedKeyLimiter: limiter,
  middleware: v.array(method),
  metrics: v.object({ getMetricsAsArray: method }),
  application: koa,
  opsApplication: koa,
};

/** Checks each part when it is made. @throws ClearError for a part without the methods that the service calls */
export function checkParts(container: Container): void {
  for (const [name, shape] of Object.entries(shapes))
    container.onActivation<unknown>(tokens[name as keyof typeof tokens], (_, part) => {
      const [issue] = v.safeParse(shape, part).issues ?? [];
      if (!issue) return part;
      const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
      throw new ClearError(`${path} does not fit: ${issue.message}`);
    });
}

const hotPath = token<ReturnType<typeof store.openHotPath>>('hot path');

/** The module of the service's own parts. A part that nothing needs is not made. */
export function serviceModule(input: ServiceInput) {
  const { settings, registry } = input;
  const { RATE_LIMIT, FAILED_KEY_LIMIT } = settings;
  const metrics = httpMetrics(registry);
  const callers = listenerFor('callers', input, metrics('callers'));
  const operators = listenerFor('operators', input, metrics('operators'));
  /** Opened only if a part needs them. */
  let database: Promise<DatabaseAccess> | undefined;
  let identity: Awaited<ReturnType<typeof openIdentity>> | undefined;
  const module = new ContainerModule(({ bind }) => {
    bind(hotPath).toDynamicValue(async () => {
      database = openUpToDate(input);
      return openServiceHotPath(await database, input);
    });
    bind(tokens.campaignRepository).toResolvedValue(({ campaigns }) => campaigns, [hotPath]);
    bind(tokens.identity).toDynamicValue(async (context) => {
      const keys = settings.IDENTITY === 'jwt' ? undefined : await context.getAsync(hotPath);
      identity = await openIdentity(input, keys?.identity);
      return identity.identity;
    });
    bind(tokens.useCase).toResolvedValue(
      (campaigns, whoCalls) => new SetCampaignMirror(campaigns, whoCalls, settings.MIRROR_HOST_DENYLIST),
      [tokens.campaignRepository, tokens.identity],
    );
    bind(tokens.callLimiter).toConstantValue(RATE_LIMIT && limiterOf(RATE_LIMIT));
    bind(tokens.failedKeyLimiter).toConstantValue(FAILED_KEY_LIMIT && limiterOf(FAILED_KEY_LIMIT));
    bind(tokens.middleware).toConstantValue([]);
    bind(tokens.metrics).toConstantValue(new Registry());
    bind(tokens.application).toResolvedValue(
      (useCase, keys, failedKeys, middleware) => {
        const { isWellFormed = () => true } = identity ?? {};
        const pages = interfacePages({ docs: settings.DOCS === 'on' });
        const more = { isWellFormed, middleware, origins: settings.CORS_ORIGINS, pages };
        return http.application({ ...callers, useCase, limits: { keys, failedKeys }, ...more });
      },
      [tokens.useCase, tokens.callLimiter, tokens.failedKeyLimiter, tokens.middleware],
    );
    bind(tokens.opsApplication).toResolvedValue(
      async (ofModules) => operatorsApplication(input, operators, ofModules, await database),
      [tokens.metrics],
    );
  });
  /** The database, if the service's own identity reads keys in it. */
  const databaseOfKeys = async () => (identity && settings.IDENTITY !== 'jwt' ? database : undefined);
  return { module, databaseOfKeys, callers, operators };
}

/** Health, metrics, and their page. @throws Error if a metric of a module has the name of one of the service */
function operatorsApplication(
  { settings, version, registry, life }: ServiceInput,
  listener: ReturnType<typeof listenerFor>,
  ofModules: Registry,
  database: DatabaseAccess | undefined,
): KoaApplication {
  // A probe takes at most a second, because health checks wait for it.
  const probe = database && store.openProbe(database.address('service'), 1_000);
  if (probe) life.atEnd('probe', probe.close);
  const readiness = readinessOf(async () => (await probe?.ask()) ?? {}, life.ending);
  serviceMetrics(registry, version, readiness, probe);
  const { contentType } = registry;
  const merged = () => Registry.merge([registry, ofModules]);
  // A duplicate name fails the start instead of each scrape.
  merged();
  const file = (name: string) => readFileSync(new URL(`../../ops-page/${name}`, import.meta.url));
  const policy = { 'Content-Security-Policy': http.contentSecurityPolicy('data:') };
  const more: Readonly<Record<string, http.Page>> = {
    '/': http.staticPage('text/html', file('page.html'), policy),
    '/page.js': http.staticPage('text/javascript', file('page.js')),
    '/page.css': http.staticPage('text/css', file('page.css')),
    '/metrics': async () => ({ status: 200, contentType, body: await merged().metrics() }),
  };
  const names = [settings.OPS_HOST, ...(settings.OPS_NAMES ?? [])].map((name) => name.toLowerCase());
  return http.opsApplication({ ...listener, readiness, version, more, names });
}

async function openUpToDate(input: ServiceInput) {
  const { settings, log, life } = input;
  const onLost = (error: Error) => life.fail(error, 'the embedded database ended by itself');
  const access = await openDatabaseAccess(settings, { log, signal: life.ending, onLost });
  // The embedded database gets 35 s to write everything.
  life.atEnd('database', access.close, 45_000);
  await prepareDatabase(access, input);
  return access;
}

async function openServiceHotPath(access: DatabaseAccess, { settings, log, registry, life }: ServiceInput) {
  const { POOL_SIZE: size, STATEMENT_TIMEOUT: statementTimeout } = settings;
  // A server that does not answer gets a second more than a statement may take.
  const queryTimeout = statementTimeout ? statementTimeout + 1_000 : store.defaultPoolLimits.queryTimeout;
  const limits = { ...store.defaultPoolLimits, size, statementTimeout, queryTimeout };
  const database = await store.openDatabase(access.address('service'), limits);
  life.atEnd('database pool', async () => {
    const isComplete = await database.close();
    if (!isComplete) life.reportHung('database pool', 'statements were running and were cut off');
  });
  const report = throttled(log, 'error');
  const advice =
    'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault';
  const refused = (statement: string, err: unknown) =>
    report({ event: 'statement-refused', statement, err }, advice);
  const observer = { ...databaseMetrics(registry, database.pool, size), refused };
  const prepared = settings.DATABASE_POOLER === 'none';
  return store.openHotPath(database.pool, { limits, prepared, observer });
}
