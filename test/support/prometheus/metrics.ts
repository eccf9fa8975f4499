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

/** Reads the metrics of a process. `value` and `by` read the series that have the given labels. */
export async function scrape({ ops }: { readonly ops: string }) {
  const response = await fetch(`${ops}/metrics`);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const lines = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', braces = '', value]) => {
      const labels = [...braces.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [
        label,
        of,
      ]);
      return { name, labels: Object.fromEntries(labels) as Labels, value: Number(value) };
    },
  );
  const seriesOf = (name: string, labels: Labels) => {
    const isWanted = (line: (typeof lines)[number]) =>
      Object.entries(labels).every(([label, value]) => line.labels[label] === value);
    return lines.filter((line) => line.name === name && isWanted(line));
  };
  /** The sum of the series; undefined if there is none. */
  const value = (name: string, labels: Labels = {}) =>
    seriesOf(name, labels).reduce<number | undefined>((sum, one) => (sum ?? 0) + one.value, undefined);
  /** The sums by a label, without those of 0. */
  const by = (name: string, label: string, labels: Labels = {}) => {
    const sums: Record<string, number> = {};
    for (const one of seriesOf(name, labels))
      if (one.value !== 0) sums[`${one.labels[label]}`] = (sums[`${one.labels[label]}`] ?? 0) + one.value;
    return sums;
  };
  return { text, lines, value, by };
}
