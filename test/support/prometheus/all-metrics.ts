import * as database from '../../../packages/app/src/metrics/database-metrics.ts';
import { httpMetrics } from '../../../packages/app/src/metrics/http-metrics.ts';
import { processMetrics } from '../../../packages/app/src/metrics/process-metrics.ts';
import { issuerMetrics, serviceMetrics } from '../../../packages/app/src/metrics/service-metrics.ts';

/** A metric as prom-client has it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labelNames: readonly string[];
  /** Of a histogram. */
  readonly upperBounds?: readonly number[];
}

const registry = processMetrics(() => 0);
httpMetrics(registry);
database.hotPathMetrics(registry);
database.poolMetrics(registry, { pool: { totalCount: 0, idleCount: 0, waitingCount: 0 } } as never, 1);
database.keyUseMetrics(registry, { noted: 0, writes: 0, failures: 0 });
issuerMetrics(registry, 'both').fetched();
serviceMetrics(registry, async () => ({}), {} as never);

/** Every metric, by its name. */
export const metrics: Readonly<Record<string, Metric>> = Object.fromEntries(
  (registry.getMetricsAsArray() as unknown as Metric[]).map((one) => [one.name, one]),
);
