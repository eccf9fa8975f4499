import { expect } from 'chai';
import { metrics } from './all-metrics.ts';

export type Labels = Readonly<Record<string, string>>;

/** A line of Prometheus' text format. */
export interface Line {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a scrape told. */
export class Exposition {
  readonly lines: readonly Line[];
  /** By the names of the metrics: their types. */
  readonly types: ReadonlyMap<string, string>;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    const types = text.matchAll(/^# TYPE (\S+) (\S+)$/gm);
    this.types = new Map([...types].map(([, name = '', type = '']) => [name, type]));
    this.lines = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(lineOf);
  }

  /** The sum of those that have these labels; undefined where there is none. */
  value(name: string, labels: Labels = {}): number | undefined {
    const found = this.lines.filter(
      (line) =>
        line.name === name && Object.entries(labels).every(([label, value]) => line.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The values of a metric by one of its labels, those of 0 left out. */
  by(name: string, label: string, labels: Labels = {}): Record<string, number> {
    const values = new Set(this.lines.filter((line) => line.name === name).map((line) => line.labels[label]));
    const all = [...values].map((value = '') => [
      value,
      this.value(name, { ...labels, [label]: value }) ?? 0,
    ]);
    return Object.fromEntries(all.filter(([, value]) => value !== 0));
  }

  /** The metric that a line belongs to: a histogram has several. */
  metricOf({ name }: Line): string {
    const base = name.replace(/_(bucket|sum|count)$/, '');
    return this.types.get(base) === 'histogram' ? base : name;
  }
}

function lineOf(text: string): Line {
  const [, name, braces = '', value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no line of the text format: ${text}`);
  const labels = [...braces.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label, of]);
  return { name, labels: Object.fromEntries(labels), value: Number(value.replace('Inf', 'Infinity')) };
}

export async function scrape({ ops }: { readonly ops: string }): Promise<Exposition> {
  const response = await fetch(`${ops}/metrics`);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  return new Exposition(await response.text());
}

/** The names of all series of our metrics: a histogram has three kinds. */
export const allSeries = Object.entries(metrics).flatMap(([name, { type }]) =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((kind) => `${name}_${kind}`) : [name],
);

/** What of a scrape is otherwise than docs/reference/metrics.md says: names, types, labels. */
export function undocumented(told: Exposition): string[] {
  const types = [...told.types].flatMap(([name, type]) =>
    metrics[name]?.type === type ? [] : [`${name}: ${type}`],
  );
  const labels = told.lines.flatMap((line) => {
    const known = ['le', ...(metrics[told.metricOf(line)]?.labelNames ?? [])];
    const unknown = Object.keys(line.labels).filter((label) => !known.includes(label));
    return unknown.map((label) => `${line.name}: ${label}`);
  });
  return [...types, ...labels];
}
