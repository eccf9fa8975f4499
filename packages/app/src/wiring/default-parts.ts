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
import type { Settings } from '../settings/settings.ts';
import { type ServiceInput, tokens } from './tokens.ts';

/** Calls `make` when it is asked first; `made` resolves with what that gave, with undefined if nobody has asked. */
function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined;
  const ask = () => {
    made ??= make();
    return made;
  };
  return Object.assign(ask, { made: async () => made });
}

/**
 * The parts of the service as its settings have them. What nobody asks for is not made: if a program exchanges both ports of
 * the use case, no database is opened. `made` resolves with what was made of the database and of the identity.
 */
export function defaultParts(input: ServiceInput) {
  const { settings, log, registry, life } = input;
  const database = once(() => openUpToDate(input));
  const hotPath = once(async () => openServiceHotPath(await database(), input));
  const identity = once(async () => {
    const acceptsKeys = settings.IDENTITY !== 'jwt';
    const keys = acceptsKeys ? (await hotPath()).identity : undefined;
    return { acceptsKeys, ...(await openIdentity(settings, keys, log, registry, life)) };
  });
  const limits = limitsOf(settings);
  const module = new ContainerModule(({ bind }) => {
    bind(tokens.campaignRepository).toDynamicValue(async () => (await hotPath()).campaigns);
    bind(tokens.identity).toDynamicValue(async () => (await identity()).identity);
    bind(tokens.useCase).toDynamicValue(async (context) => {
      const campaigns = await context.getAsync(tokens.campaignRepository);
      const by = await context.getAsync(tokens.identity);
      return new SetCampaignMirror(campaigns, by, settings.MIRROR_HOST_DENYLIST);
    });
    bind(tokens.callLimiter).toConstantValue(limits.keys);
    bind(tokens.failedKeyLimiter).toConstantValue(limits.failedKeys);
    bind(tokens.middleware).toConstantValue([]);
    bind(tokens.metrics).toConstantValue(new Registry());
  });
  const made = async () => {
    const all = [database.made(), identity.made(), hotPath.made()] as const;
    const [access, own] = await Promise.all(all);
    return { access, own };
  };
  return { module, made };
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
