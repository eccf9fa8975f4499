/** What is measured, and how it is to be read. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each label with the values that it may have, or what they are: none of them grows with users or campaigns. */
  readonly labels?: Readonly<Record<string, readonly string[] | string>>;
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
  /** What several processes make of it; the sum by default. */
  readonly aggregator?: 'sum' | 'min' | 'max';
  /** Where it is not always there: when it is. */
  readonly only?: string;
}

export type Definitions = Readonly<Record<string, MetricDefinition>>;

type Labels = NonNullable<MetricDefinition['labels']>;

/** By its labels; then what it tells. */
export const counter = (labels: Labels) => ({
  help: (help: string) => ({ type: 'counter' as const, labels, help }),
});
export const gauge = (labels: Labels) => ({
  help: (help: string) => ({ type: 'gauge' as const, labels, help }),
});
export const histogram = (buckets: readonly number[], labels: Labels) => ({
  help: (help: string) => ({ type: 'histogram' as const, buckets, labels, help }),
});

/** Keeps the names as types, where a plain annotation would forget them. */
export const define = <const Of extends Definitions>(definitions: Of) => definitions;

/** One value, in the form of prom-client's JSON. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: which of its series. */
  readonly metricName?: string;
}

/** The values of some metrics at one moment, by their names. */
export type Samples<Of extends Definitions> = { readonly [Name in keyof Of]?: readonly Sample[] };

/** The values of one label, by its values. */
export const by = (label: string, values: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

/** A value without a label. */
export const plain = (value: number): readonly Sample[] => [{ value, labels: {} }];
