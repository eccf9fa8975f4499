import { ContainerModule } from 'inversify';
import { borrowed, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase, checkRights } from '../database/database-start.ts';
import type { PrimaryChannel } from '../fleet/primary-channel.ts';
import { keepTelling, tellCounts } from '../fleet/worker-counts.ts';
import type { Begin } from '../fleet/worker-process.ts';
import type { CountsOf, LimitName } from '../limits/counts.ts';
import { PrimaryCounts } from '../limits/primary-counts.ts';
import { listen } from '../listeners/listening.ts';
import type { Meters } from '../metrics/meters.ts';
import { aborted } from '../process/life.ts';
import { callersModule, limitsModule } from '../wiring/callers-module.ts';
import { poolModule, portsModule } from '../wiring/database-modules.ts';
import { identityModule } from '../wiring/identity-module.ts';
import { type Part, timeouts } from '../wiring/parts.ts';
import type { ProcessKind } from '../wiring/process-kind.ts';
import { metersModule, tracesModule } from '../wiring/telemetry-modules.ts';
import { type Given, tokens } from '../wiring/tokens.ts';

/** A worker: it serves, and leaves the rest to its primary. */
export function servingProcess(given: Given, begin: Begin, channel: PrimaryChannel): ProcessKind {
  const { settings, log, life } = given;
  const { ending } = life;
  const isCounting = settings.METRICS === 'on';
  const lastCounts = async (meters: Meters) => {
    if (isCounting) await tellCounts(meters, channel);
  };
  const parts: Part[] = [
    { name: 'metrics', module: metersModule(given, 'serving', lastCounts), timeout: timeouts.own },
    { name: 'traces', module: tracesModule(given), timeout: timeouts.own },
    { name: 'database', module: borrowedAccessModule(given, begin), timeout: timeouts.own },
    { name: 'database pool', module: poolModule(given), timeout: timeouts.own },
    { name: 'key uses', module: portsModule(given), timeout: timeouts.own },
    { name: 'identity', module: identityModule(given), timeout: timeouts.own },
    { name: 'limits', module: limitsModule(given, countsOfPrimary(channel)), timeout: timeouts.own },
    { name: 'http', module: callersModule(given), timeout: settings.SHUTDOWN_TIMEOUT + timeouts.own },
  ];
  return {
    parts,
    start: async (container) => {
      const toListen = channel.once('listen');
      const access = await container.getAsync(tokens.access);
      const address = access.address('service');
      await awaitDatabase(address, settings.DATABASE_WAIT, log, ending);
      if (ending.aborted) return false;
      const database = await container.getAsync(tokens.database);
      await checkRights(database.pool, address);
      const http = await container.getAsync(tokens.http);
      if (isCounting) await keepTelling(await container.getAsync(tokens.meters), channel);
      channel.tell({ kind: 'prepared' });
      await Promise.race([toListen, aborted(ending)]);
      if (ending.aborted) return false;
      const port = await listen(http, settings.PORT, settings.HOST, 'PORT');
      channel.tell({ kind: 'listening', port });
      log.info({ event: 'worker-listening', port }, 'a worker serves');
      return true;
    },
  };
}

/** The primary counts for all workers together. */
function countsOfPrimary(channel: PrimaryChannel): CountsOf {
  const kept = new Map<LimitName, PrimaryCounts>();
  channel.on('counted', ({ limit, question, counts }) => kept.get(limit)?.counted(question, counts));
  return (limit) => {
    const counts = new PrimaryCounts((question, who) =>
      channel.tell({ kind: 'count', limit, question, who }),
    );
    kept.set(limit, counts);
    return counts;
  };
}

/** The primary owns the database, and sends the address of an embedded one. */
function borrowedAccessModule({ settings, log }: Given, { address }: Begin) {
  return new ContainerModule(({ bind }) => {
    const access = async () => (address ? borrowed(address, true) : openDatabaseAccess(settings, log));
    bind(tokens.access).toResolvedValue(access, []);
  });
}
