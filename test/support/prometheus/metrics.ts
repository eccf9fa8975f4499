import { expect } from 'chai';
import { issuerObserver } from '../../../packages/app/src/http/callers.ts';
import { logTo } from '../../../packages/app/src/logging/log.ts';
import { databaseMetrics, httpMetrics } from '../../../packages/app/src/metrics/call-metrics.ts';
import { processMetrics, serviceMetrics } from '../../../packages/app/src/metrics/service-metrics.ts';

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labelNames: readonly string[];
  readonly upperBounds?: readonly number[];
}

const registry = processMetrics(() => 0);
httpMetrics(registry);
databaseMetrics(registry, { totalCount: 0, idleCount: 0, waitingCount: 0 } as never, 1);
const log = logTo(() => {}, 'silent');
issuerObserver(log, registry, 'both');
serviceMetrics(registry, { name: '', version: '', node: '', migration: '' }, async () => ({}), {} as never);

export const metrics: Readonly<Record<string, Metric>> = Object.fromEntries(
  (registry.getMetricsAsArray() as unknown as Metric[]).map((one) => [one.name, one]),
);

type Labels = Readonly<Record<string, string>>;

/** A scrape in Prometheus' text format. */
export class Exposition {
  readonly text: string;
  readonly lines: readonly { readonly name: string; readonly labels: Labels; readonly value: number }[];

  constructor(text: string) {
    this.text = text;
    const lines = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)];
    this.lines = lines.map(([, name = '', braces = '', value]) => {
      const labels = [...braces.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(labels.map(([, label, of]) => [label, of])),
        value: Number(value),
      };
    });
  }

  #of(name: string, labels: Labels) {
    const wanted = Object.entries(labels);
    return this.lines.filter(
      (line) => line.name === name && wanted.every(([label, value]) => line.labels[label] === value),
    );
  }

  /** The sum of the series with these labels; undefined if there is none. */
  value(name: string, labels: Labels = {}): number | undefined {
    const found = this.#of(name, labels);
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The sums of a metric by one of its labels, without those of 0. */
  by(name: string, label: string, labels: Labels = {}): Record<string, number> {
    const values: Record<string, number> = {};
    for (const { labels: found, value } of this.#of(name, labels))
      if (value !== 0) values[`${found[label]}`] = (values[`${found[label]}`] ?? 0) + value;
    return values;
  }
}

export async function scrape({ ops }: { readonly ops: string }): Promise<Exposition> {
  const response = await fetch(`${ops}/metrics`);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  return new Exposition(await response.text());
}
