import { freePort } from '@campaign-mirror/embedded-postgres';
import { ContainerModule } from 'inversify';
import { Fleet } from '../fleet/fleet.ts';
import { fleetSource } from '../fleet/fleet-source.ts';
import type { Begin } from '../fleet/worker-process.ts';
import { countsForWorkers } from '../limits/counts-for-workers.ts';
import { Scrape } from '../metrics/scrape.ts';
import type { WorkerShare } from '../settings/worker-count.ts';
import { type Given, tokens } from './tokens.ts';

/** The workers, which drain when this is unloaded. */
export const fleetModule = (
  { settings, log, life }: Given,
  { workers, poolSize }: WorkerShare,
  program: string,
) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.fleet)
      .toResolvedValue(
        async (access, meters) => {
          // The same for all workers, also later ones.
          const port = settings.PORT === 0 ? await freePort() : settings.PORT;
          const address = access.embedded ? { address: access.address('service') } : {};
          const begin: Begin = { kind: 'begin', port, poolSize, ...address };
          const count = await countsForWorkers(settings);
          const { SHUTDOWN_TIMEOUT: shutdownTimeout } = settings;
          const fleet = new Fleet({ workers, program, begin, shutdownTimeout, count, log, life });
          meters.add(fleetSource(fleet));
          return fleet;
        },
        [tokens.access, tokens.meters],
      )
      .onDeactivation((fleet) => fleet.end());
  });

/** The health of a primary, which includes its workers. */
export const fleetHealthModule = new ContainerModule(({ bind }) => {
  bind(tokens.health).toResolvedValue(
    (readiness, fleet) => ({
      readiness: async () => ({ ...(await readiness.checks()), workers: fleet.ready > 0 }),
      liveness: () => ({
        workers: fleet.silent.length === 0,
        ...Object.fromEntries(fleet.silent.map((id) => [`worker ${id}`, false])),
      }),
    }),
    [tokens.readiness, tokens.fleet],
  );
});

/** The metrics of a primary and of all its workers. */
export const fleetScrapeModule = new ContainerModule(({ bind }) => {
  bind(tokens.scrape).toResolvedValue(
    (meters, fleet) =>
      new Scrape(async () => {
        const [own, theirs] = await Promise.all([meters.snapshots(), fleet.counts.snapshots()]);
        return [own, ...theirs];
      }),
    [tokens.meters, tokens.fleet],
  );
});
