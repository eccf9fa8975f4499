import type { Registry } from 'prom-client';
import {
  hotPathMetrics,
  keyUseMetrics,
  poolMetrics,
} from '../../../packages/app/src/metrics/database-metrics.ts';
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

function everyMetric(): Registry {
  const registry = processMetrics(() => 0);
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0 };
  httpMetrics(registry);
  hotPathMetrics(registry);
  poolMetrics(registry, { pool } as never, 1);
  keyUseMetrics(registry, { noted: 0, writes: 0, failures: 0 });
  issuerMetrics(registry, 'both').fetched();
  serviceMetrics(registry, async () => ({}), {} as never);
  return registry;
}

const all = everyMetric().getMetricsAsArray() as unknown as readonly Metric[];

/** Every metric, by its name. */
export const metrics: Readonly<Record<string, Metric>> = Object.fromEntries(
  all.map((one) => [one.name, one]),
);
