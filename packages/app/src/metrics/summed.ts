import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import type { MetricSnapshot } from './meters.ts';

/** What several processes tell, as one: sums, but for metrics that say otherwise. */
export function registryOf(all: readonly (readonly MetricSnapshot[])[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...all]);
}

/** The same, to be added up further. */
export function summed(all: readonly (readonly MetricSnapshot[])[]): MetricSnapshot[] {
  const metrics = registryOf(all).getMetricsAsArray() as readonly unknown[] as readonly MetricSnapshot[];
  return metrics.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type,
    aggregator,
    values,
  }));
}
