/** When an alert fires, or when it is near to it and does not. */
export interface AlertCase {
  readonly when: string;
  /** By the names of the series: their values, one a minute, as promtool writes them. */
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** How often the rules are evaluated until then, each minute by default: less often is quicker over days. */
  readonly every?: string;
  /** What it then says, beside its severity and its section of the runbook; undefined where it is silent. */
  readonly fires?: { readonly labels: Readonly<Record<string, string>>; readonly summary: string };
}

/** By the names of the alerts. */
export type AlertCases = Readonly<Record<string, readonly AlertCase[]>>;

export const job = { job: 'campaign-mirror' };
export const target = { ...job, instance: 'a' };

/** A series of one target. */
export function of(metric: string, labels: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ ...target, ...labels }).map(([label, value]) => `${label}="${value}"`);
  return `${metric}{${all.join(',')}}`;
}
