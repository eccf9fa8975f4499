import { type HotPathObserver, statementNames } from '@campaign-mirror/adapters-persistence/service';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { durationBuckets, instruments } from './instruments.ts';

/** Upper bounds, in calls. */
const memberBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function hotPathMetrics(registry: Registry): Required<Omit<HotPathObserver, 'refused'>> {
  const { counter, histogram } = instruments(registry);
  const durations = histogram(
    'campaign_mirror_statement_duration_seconds',
    'From handing a statement to the pool until its answer, including the wait for a connection.',
    durationBuckets,
    'statement',
  );
  const members = histogram(
    'campaign_mirror_batch_members',
    'Calls in one statement.',
    memberBuckets,
    'statement',
  );
  const failures = counter(
    'campaign_mirror_statement_failures_total',
    'Statements that failed.',
    'statement',
  );
  const setAside = counter(
    'campaign_mirror_updates_set_aside_total',
    'Updates that left their batch because the campaign or its mirror was locked.',
  );
  // All series except the durations start at 0, so that Prometheus sees their first rise.
  for (const statement of statementNames) {
    failures.inc({ statement }, 0);
    members.zero({ statement });
  }
  return {
    batch: (statement, size) => members.observe({ statement }, size),
    ended: (statement, milliseconds, error) => {
      durations.observe({ statement }, milliseconds / 1_000);
      if (error !== undefined) failures.inc({ statement });
    },
    setAside: () => setAside.inc(),
  };
}

/** The pool at the time of a scrape; `limit` is its maximum size. */
export function poolMetrics(registry: Registry, pool: Pool, limit: number): void {
  const { gauge, value } = instruments(registry);
  gauge(
    'campaign_mirror_pool_connections',
    'Database connections of the pool.',
    (connections) => {
      connections.set({ state: 'in-use' }, pool.totalCount - pool.idleCount);
      connections.set({ state: 'idle' }, pool.idleCount);
    },
    'state',
  );
  value('campaign_mirror_pool_connections_limit', 'Limit of database connections: POOL_SIZE.', () => limit);
  value('campaign_mirror_pool_waiting', 'Statements that wait for a connection.', () => pool.waitingCount);
}
