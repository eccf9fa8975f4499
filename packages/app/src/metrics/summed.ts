import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import type { Told } from './meters.ts';

/** What several processes tell, as one: sums, but for metrics that say otherwise. */
export function registryOf(all: readonly (readonly Told[])[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...all]);
}

/** The same, to be added up further. */
export function summed(all: readonly (readonly Told[])[]): Told[] {
  const metrics = registryOf(all).getMetricsAsArray() as readonly unknown[] as readonly Told[];
  return metrics.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type,
    aggregator,
    values,
  }));
}
