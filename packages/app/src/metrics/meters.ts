import type { HttpLog } from '@campaign-mirror/adapters-http';
import type { HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import type { Definitions, MetricDefinition, Sample, Samples } from './definition.ts';
import { metrics } from './table.ts';

/** Tells values of this moment. It may be asked several times a second, and has to be cheap. */
export type Source = () => Samples<Definitions> | Promise<Samples<Definitions>>;

/** What is counted in a process, by those who count it. */
export interface Meters {
  readonly hotPath: HotPathObserver;
  readonly callers: Pick<HttpLog, 'answered'>;
  readonly operators: Pick<HttpLog, 'answered'>;
  /** Has it asked whenever the metrics are told. */
  add(source: Source): void;
  snapshots(): Promise<MetricSnapshot[]>;
  stop(): void;
}

/** A metric and its values, as prom-client's JSON has it. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: MetricDefinition['type'];
  readonly aggregator: NonNullable<MetricDefinition['aggregator']>;
  readonly values: readonly Sample[];
}

/** All that sources have to tell, in the order of the table. */
export async function snapshotsOf(sources: readonly Source[]): Promise<MetricSnapshot[]> {
  const values = new Map<string, Sample[]>();
  for (const samples of await Promise.all(sources.map((source) => source()))) {
    for (const [name, more] of Object.entries(samples)) {
      if (more) values.set(name, [...(values.get(name) ?? []), ...more]);
    }
  }
  return Object.entries(metrics).flatMap(([name, { help, type, aggregator = 'sum' }]) => {
    const found = values.get(name);
    return found ? [{ name, help, type, aggregator, values: found }] : [];
  });
}

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
