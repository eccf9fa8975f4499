import type { DatabaseProbe } from '@campaign-mirror/adapters-persistence/service';
import type { Registry } from 'prom-client';
import type { Version } from '../process/project.ts';
import { atMostEvery, type Readiness } from '../process/readiness.ts';
import { instruments } from './instruments.ts';

/** The minimum time between two counts of keys, in milliseconds. */
const betweenCounts = 30_000;

/** The version that runs, and whether the service can serve. */
export function serviceMetrics(
  registry: Registry,
  { name: _, ...labels }: Version,
  readiness: Readiness,
  probe?: DatabaseProbe,
): void {
  const { gauge, value } = instruments(registry);
  gauge(
    'campaign_mirror_build_info',
    'Always 1; its labels say what runs.',
    (metric) => metric.set(labels, 1),
    ...Object.keys(labels),
  );
  value('campaign_mirror_ready', '1 if /readyz answers 200, otherwise 0.', async () =>
    Number(Object.values(await readiness()).every(Boolean)),
  );
  gauge(
    'campaign_mirror_ready_check',
    'Each check of /readyz: 1 if it passes, 0 if it fails; absent if it could not be made.',
    async (metric) => {
      const checks = await readiness();
      metric.reset();
      for (const [check, passes] of Object.entries(checks)) metric.set({ check }, Number(passes));
    },
    'check',
  );
  if (!probe) return;
  value(
    'campaign_mirror_history_rows',
    "PostgreSQL's estimate of the rows of the history, as of its last vacuum or analyze; absent before that.",
    () => probe.historyRows,
  );
  value(
    'campaign_mirror_keys_expiring',
    'Access keys that expire within 14 days and were neither revoked nor replaced; absent if the database does not answer.',
    atMostEvery(betweenCounts, probe.expiringKeys),
  );
}

/** Counts the fetches of the issuer's keys, and shows their age. `identity`: whether callers may have access keys too. */
export function issuerMetrics(registry: Registry, identity: 'jwt' | 'both') {
  const { counter, value } = instruments(registry);
  const help = 'Fetches of the public keys of the issuer of tokens, by result and by IDENTITY.';
  const fetches = counter('campaign_mirror_issuer_key_fetches_total', help, 'result', 'identity');
  for (const result of ['done', 'failed']) fetches.inc({ result, identity }, 0);
  let fetchedAt: number | undefined;
  value(
    'campaign_mirror_issuer_keys_age_seconds',
    'Time since the public keys of the issuer of tokens were fetched; absent before the first fetch.',
    () => fetchedAt && (performance.now() - fetchedAt) / 1_000,
  );
  return {
    fetched: () => {
      fetchedAt = performance.now();
      fetches.inc({ result: 'done', identity });
    },
    failed: () => fetches.inc({ result: 'failed', identity }),
  };
}
