import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { workerEndGrace } from '../fleet/fleet.ts';
import { WorkerFault } from '../fleet/worker-process.ts';
import { listen, warnOfPlainHttp } from '../listeners/listening.ts';
import { aborted } from '../process/life.ts';
import type { StopSignals } from '../process/stop-signals.ts';
import { workerShare } from '../settings/worker-count.ts';
import { accessModule } from '../wiring/database-modules.ts';
import { fleetHealthModule, fleetModule, fleetScrapeModule } from '../wiring/fleet-modules.ts';
import { opsModule, opsPageModule } from '../wiring/operators-module.ts';
import { type Part, timeouts } from '../wiring/parts.ts';
import { prepareDatabase } from '../wiring/prepare-database.ts';
import type { ProcessKind } from '../wiring/process-kind.ts';
import { metersModule } from '../wiring/telemetry-modules.ts';
import { type Given, tokens } from '../wiring/tokens.ts';
import { greet } from './greeting.ts';

const workerProgram = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

export interface Asked {
  readonly stop: StopSignals;
  /** SIGHUP restarts the workers, one after the other. */
  readonly restarts: boolean;
  readonly toggleLevel: () => void;
}

/** The process that supervises the workers: it has the database, its migrations, and the operators' listener. */
export function primary(given: Given, { stop, restarts, toggleLevel }: Asked): ProcessKind {
  const { settings, log, life } = given;
  const { ending } = life;
  const share = workerShare(settings.WORKERS, availableParallelism(), settings.POOL_SIZE);
  const fleetTimeout = settings.SHUTDOWN_TIMEOUT + workerEndGrace + timeouts.own;
  const parts: Part[] = [
    { name: 'metrics', module: metersModule(given, 'watching'), timeout: timeouts.own },
    { name: 'database', module: accessModule(given), timeout: timeouts.database },
    { name: 'health', module: fleetHealthModule, timeout: timeouts.own },
    { name: 'scrape', module: fleetScrapeModule, timeout: timeouts.own },
    { name: 'page', module: opsPageModule(given), timeout: timeouts.own },
    { name: 'ops', module: opsModule(given), timeout: timeouts.own },
    { name: 'workers', module: fleetModule(given, share, workerProgram), timeout: fleetTimeout },
  ];
  return {
    parts,
    start: async (container) => {
      if (!restarts) stop.decideHangUp();
      const access = await prepareDatabase(container, given);
      if (ending.aborted) return false;
      const readiness = await container.getAsync(tokens.readiness);
      void aborted(ending).then(() => readiness.startDraining());
      const fleet = await container.getAsync(tokens.fleet);
      process.on('SIGUSR2', () => {
        toggleLevel();
        fleet.toggleLevel();
      });
      const ops = await container.getAsync(tokens.ops);
      const opsPort = await listen(ops, settings.OPS_PORT, settings.OPS_HOST, 'OPS_PORT');
      const port = await fleet.start().catch(clearly);
      if (port === undefined) return false;
      if (restarts) stop.decideHangUp(() => void fleet.restart());
      const where = { host: settings.HOST, port, opsHost: settings.OPS_HOST, opsPort };
      const line = `listening on http://${settings.HOST}:${port}`;
      log.info(
        { event: 'listening', ...where, workers: share.workers },
        `${line}, by ${share.workers} workers`,
      );
      warnOfPlainHttp(settings, log);
      if (share.fewer) log.warn({ event: 'fewer-workers' }, fewer(share.workers, settings.POOL_SIZE));
      if (!ending.aborted) await greet(given, access, port);
      return true;
    },
  };
}

function fewer(workers: number, poolSize: number): string {
  return `POOL_SIZE ${poolSize} is enough for ${workers} workers, fewer than there are cores: raise it for more`;
}

/** A fault that one worker cannot fix affects all, and is reported once. */
function clearly(error: unknown): never {
  throw error instanceof WorkerFault ? new ClearError(error.message) : error;
}
