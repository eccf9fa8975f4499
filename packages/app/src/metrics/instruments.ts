import { Counter, Histogram } from 'prom-client';
import type { Definitions, Sample } from './definition.ts';

/** A counter of prom-client as it is defined, in no registry: what each process has counted is added up first. */
export function counter<Of extends Definitions>(definitions: Of, name: keyof Of & string): Counter {
  return new Counter(configuration(definitions, name));
}

/** The same for a histogram. */
export function histogram<Of extends Definitions>(definitions: Of, name: keyof Of & string): Histogram {
  const buckets = [...(definitions[name]?.buckets ?? [])];
  return new Histogram({ ...configuration(definitions, name), buckets });
}

/** What they have counted, by their names. */
export async function samplesOf(
  instruments: readonly (Counter | Histogram)[],
): Promise<Record<string, Sample[]>> {
  const counted = await Promise.all(instruments.map((instrument) => instrument.get()));
  return Object.fromEntries(counted.map(({ name, values }) => [name, values as Sample[]]));
}

function configuration(definitions: Definitions, name: string) {
  const { help = '', labels = {} } = definitions[name] ?? {};
  return { name, help, labelNames: Object.keys(labels), registers: [] };
}
