type Labels = Readonly<Record<string, string>>;

/** What an alert says when it fires, beside its severity and its section of the runbook. */
interface Fires {
  readonly labels: Labels;
  readonly summary: string;
}

/** When an alert fires, or when it is near to it and does not. */
export interface AlertCase {
  readonly when: string;
  /** By the names of the series: their values, one a minute, as promtool writes them. */
  readonly series: Labels;
  readonly at: string;
  /** How often the rules are evaluated until then, each minute by default: less often is quicker over days. */
  readonly every?: string;
  /** Undefined where it is silent. */
  readonly fires?: Fires | undefined;
}

/** By the names of the alerts. */
export type AlertCases = Readonly<Record<string, readonly AlertCase[]>>;

type Situation = readonly [when: string, at: string, series: Labels, every?: string];

/** Situations in which an alert fires with these words, and those in which it is silent. */
export function cases(
  labels: Labels,
  summary: string,
  firing: Situation[],
  silent: Situation[],
): AlertCase[] {
  const all = (situations: Situation[], fires?: Fires) =>
    situations.map(([when, at, series, every]) => ({ when, at, series, ...(every && { every }), fires }));
  return [...all(firing, { labels, summary }), ...all(silent)];
}

export const job = { job: 'campaign-mirror' };
export const target = { ...job, instance: 'a' };

/** A series of one target. */
export function of(metric: string, labels: Labels = {}): string {
  const all = Object.entries({ ...target, ...labels }).map(([label, value]) => `${label}="${value}"`);
  return `${metric}{${all.join(',')}}`;
}
