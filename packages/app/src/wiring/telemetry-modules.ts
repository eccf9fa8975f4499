import { ContainerModule } from 'inversify';
import type { Meters } from '../metrics/meters.ts';
import type { ProcessRole } from '../metrics/process-definitions.ts';
import { noMeters, processMeters } from '../metrics/process-meters.ts';
import { Scrape } from '../metrics/scrape.ts';
import { traceVariables } from '../settings/trace-variables.ts';
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
        (): Meters => (settings.METRICS === 'on' ? processMeters(role, lostLines) : noMeters),
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
    (meters) => new Scrape(async () => [await meters.snapshots()]),
    [tokens.meters],
  );
});

/**
 * The traces, whose last spans are sent when this is unloaded: after everything that makes spans. None where the
 * `OTEL_*` variables request none: then OpenTelemetry is not loaded.
 */
export const tracesModule = ({ log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.traces)
      .toResolvedValue(async () => {
        const { wanted } = traceVariables(process.env);
        return wanted && (await import('../traces/otlp-traces.ts')).otlpTraces(wanted, log);
      }, [])
      .onDeactivation((traces) => traces?.close());
  });
