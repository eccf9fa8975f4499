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
issuerObserver(
  logTo(() => {}, 'silent'),
  registry,
  'both',
);
serviceMetrics(registry, { name: '', version: '', node: '', migration: '' }, async () => ({}), {} as never);

export const metrics: Readonly<Record<string, Metric>> = Object.fromEntries(
  (registry.getMetricsAsArray() as unknown as Metric[]).map((one) => [one.name, one]),
);

type Labels = Readonly<Record<string, string>>;

/** What a scrape told, in Prometheus' text format. */
export class Exposition {
  readonly text: string;
  readonly lines: readonly { readonly name: string; readonly labels: Labels; readonly value: number }[];

  constructor(text: string) {
    this.text = text;
    this.lines = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', braces = '', value = '']) => {
        const labels = [...braces.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
        return {
          name,
          labels: Object.fromEntries(labels.map(([, label, of]) => [label, of])),
          value: Number(value.replace('Inf', 'Infinity')),
        };
      },
    );
  }

  /** The sum of those that have these labels; undefined if there is none. */
  value(name: string, labels: Labels = {}): number | undefined {
    const found = this.lines.filter(
      (line) =>
        line.name === name && Object.entries(labels).every(([label, value]) => line.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The values of a metric by one of its labels, those of 0 left out. */
  by(name: string, label: string, labels: Labels = {}): Record<string, number> {
    const all = new Set(this.lines.filter((line) => line.name === name).map((line) => line.labels[label]));
    const values = [...all].map((of = '') => [of, this.value(name, { ...labels, [label]: of }) ?? 0]);
    return Object.fromEntries(values.filter(([, value]) => value !== 0));
  }
}

export async function scrape({ ops }: { readonly ops: string }): Promise<Exposition> {
  const response = await fetch(`${ops}/metrics`);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  return new Exposition(await response.text());
}
