import { define } from './definition.ts';
import { requestBuckets } from './http-definitions.ts';

export const batchKinds = ['look-up', 'update'] as const;

/** By their names. */
export const statements = [
  'look-up-one',
  'look-up-many',
  'set-mirrors',
  'set-mirror-chains',
  'set-mirror',
  'set-held-mirror-chains',
];
/** Calls. */
export const memberBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The hot path at the database, its pool, and the uses of keys. */
export const persistenceDefinitions = define({
  campaign_mirror_statement_duration_seconds: {
    type: 'histogram',
    help: 'From handing a statement to the pool until its answer, including the wait for a connection.',
    labels: { statement: statements },
    buckets: requestBuckets,
  },
  campaign_mirror_statement_failures_total: {
    type: 'counter',
    help: 'Statements that failed.',
    labels: { statement: statements },
  },
  campaign_mirror_statement_retries_total: {
    type: 'counter',
    help: 'Statements that were run again, because PostgreSQL ended them in favour of another transaction or their plan was stale.',
    labels: { statement: statements },
  },
  campaign_mirror_batch_members: {
    type: 'histogram',
    help: 'Calls in one statement.',
    labels: { kind: batchKinds },
    buckets: memberBuckets,
  },
  campaign_mirror_batches_split_total: {
    type: 'counter',
    help: 'Batches whose members were repeated one by one after a fault of one of them.',
    labels: { kind: batchKinds },
  },
  campaign_mirror_statements_refused_total: {
    type: 'counter',
    help: 'Statements for many calls that PostgreSQL refused as such, for example for a missing right: a fault of the service or its role.',
    labels: { statement: statements },
  },
  campaign_mirror_updates_set_aside_total: {
    type: 'counter',
    help: 'Updates that left their batch because the campaign or its mirror was locked.',
  },
  campaign_mirror_judged_again_total: {
    type: 'counter',
    help: 'Updates that wrote nothing because their campaign had changed, and were judged again.',
  },
  campaign_mirror_pool_connections: {
    type: 'gauge',
    help: 'Database connections of the pool.',
    labels: { state: ['in-use', 'idle'] },
  },
  campaign_mirror_pool_connections_limit: {
    type: 'gauge',
    help: 'Limit of these connections, summed over all processes.',
  },
  campaign_mirror_pool_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection.',
  },
  campaign_mirror_key_uses_noted_total: {
    type: 'counter',
    help: 'Keys whose use was noted, each at most once a minute.',
  },
  campaign_mirror_key_use_writes_total: {
    type: 'counter',
    help: 'Writes of the time when keys were last used.',
    labels: { result: ['done', 'failed'] },
  },
});
