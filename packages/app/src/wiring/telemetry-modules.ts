import { ContainerModule } from 'inversify';
import type { Meters } from '../metrics/meters.ts';
import type { ProcessRole } from '../metrics/process-definitions.ts';
import { noMeters, ProcessMeters } from '../metrics/process-meters.ts';
import { Scrape } from '../metrics/scrape.ts';
import { openTraces } from '../traces/open-traces.ts';
import { type Given, tokens } from './tokens.ts';

/** The counts of this process. `lastly` receives them at the end. */
export const metersModule = (
  { settings, lostLines }: Given,
  role: ProcessRole,
  lastly: (meters: Meters) => Promise<void> = async () => {},
) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.meters)
      .toResolvedValue(
        (): Meters => (settings.METRICS === 'on' ? new ProcessMeters(role, lostLines) : noMeters),
        [],
      )
      .onDeactivation(async (meters) => {
        await lastly(meters);
        meters.stop();
      });
  });

/** The metrics of a single process. */
export const ownScrapeModule = new ContainerModule(({ bind }) => {
  bind(tokens.scrape).toResolvedValue(
    (meters: Meters) => new Scrape(async () => [await meters.snapshots()]),
    [tokens.meters],
  );
});

/** The traces, whose last spans are sent when this is unloaded: after everything that makes spans. */
export const tracesModule = ({ log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.traces)
      .toResolvedValue(() => openTraces(process.env, log), [])
      .onDeactivation((traces) => traces?.close());
  });
