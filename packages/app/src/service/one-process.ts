import { checkRights } from '../database/database-start.ts';
import { listen, warnOfPlainHttp } from '../listeners/listening.ts';
import { aborted } from '../process/life.ts';
import { callersModule, limitsModule } from '../wiring/callers-module.ts';
import { accessModule, poolModule, portsModule } from '../wiring/database-modules.ts';
import { identityModule } from '../wiring/identity-module.ts';
import { opsModule, opsPageModule, ownHealthModule } from '../wiring/operators-module.ts';
import { type Part, timeouts } from '../wiring/parts.ts';
import { prepareDatabase } from '../wiring/prepare-database.ts';
import type { ProcessKind } from '../wiring/process-kind.ts';
import { metersModule, ownScrapeModule, tracesModule } from '../wiring/telemetry-modules.ts';
import { type Given, tokens } from '../wiring/tokens.ts';
import { greet } from './greeting.ts';

/** One process that does everything. */
export function oneProcess(given: Given): ProcessKind {
  const { settings, log, life } = given;
  const { ending } = life;
  const parts: Part[] = [
    { name: 'metrics', module: metersModule(given, 'serving'), timeout: timeouts.own },
    { name: 'traces', module: tracesModule(given), timeout: timeouts.own },
    { name: 'database', module: accessModule(given), timeout: timeouts.database },
    { name: 'database pool', module: poolModule(given), timeout: timeouts.own },
    { name: 'key uses', module: portsModule(given), timeout: timeouts.own },
    { name: 'identity', module: identityModule(given), timeout: timeouts.own },
    { name: 'limits', module: limitsModule(given), timeout: timeouts.own },
    { name: 'health', module: ownHealthModule, timeout: timeouts.own },
    { name: 'scrape', module: ownScrapeModule, timeout: timeouts.own },
    { name: 'page', module: opsPageModule(given), timeout: timeouts.own },
    { name: 'ops', module: opsModule(given), timeout: timeouts.own },
    { name: 'http', module: callersModule(given), timeout: settings.SHUTDOWN_TIMEOUT + timeouts.own },
  ];
  return {
    parts,
    start: async (container) => {
      const access = await prepareDatabase(container, given);
      if (ending.aborted) return false;
      const database = await container.getAsync(tokens.database);
      await checkRights(database.pool, access.address('service'));
      if (ending.aborted) return false;
      const readiness = await container.getAsync(tokens.readiness);
      void aborted(ending).then(() => readiness.startDraining());
      const ops = await container.getAsync(tokens.ops);
      const opsPort = await listen(ops, settings.OPS_PORT, settings.OPS_HOST, 'OPS_PORT');
      const http = await container.getAsync(tokens.http);
      const port = await listen(http, settings.PORT, settings.HOST, 'PORT');
      const where = { host: settings.HOST, port, opsHost: settings.OPS_HOST, opsPort };
      log.info({ event: 'listening', ...where }, `listening on http://${settings.HOST}:${port}`);
      warnOfPlainHttp(settings, log);
      if (!ending.aborted) await greet(given, access, port);
      return true;
    },
  };
}
