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
    help: 'From the moment when a statement is handed to the pool to its answer, waiting for a connection included.',
    labels: { statement: statements },
    buckets: requestBuckets,
  },
  campaign_mirror_statement_failures_total: {
    type: 'counter',
    help: 'Statements of these that failed.',
    labels: { statement: statements },
  },
  campaign_mirror_statement_retries_total: {
    type: 'counter',
    help: 'Statements that were run once more, since PostgreSQL ended them for the sake of another transaction, or their plan was stale.',
    labels: { statement: statements },
  },
  campaign_mirror_batch_members: {
    type: 'histogram',
    help: 'Calls that went together.',
    labels: { kind: batchKinds },
    buckets: memberBuckets,
  },
  campaign_mirror_batches_split_total: {
    type: 'counter',
    help: 'Batches whose members went one by one, after a fault of one of them.',
    labels: { kind: batchKinds },
  },
  campaign_mirror_statements_refused_total: {
    type: 'counter',
    help: 'Statements for many calls that PostgreSQL refused themselves, such as for a missing right: a fault of the service or of its role.',
    labels: { statement: statements },
  },
  campaign_mirror_updates_set_aside_total: {
    type: 'counter',
    help: 'Updates that left their batch since somebody held the campaign or its mirror.',
  },
  campaign_mirror_judged_again_total: {
    type: 'counter',
    help: 'Updates that did nothing since their campaign changed while they waited for it, and were judged again.',
  },
  campaign_mirror_pool_connections: {
    type: 'gauge',
    help: 'Database connections of the pool.',
    labels: { state: ['in-use', 'idle'] },
  },
  campaign_mirror_pool_connections_limit: {
    type: 'gauge',
    help: 'How many may be, of all processes together.',
  },
  campaign_mirror_pool_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection.',
  },
  campaign_mirror_key_uses_noted_total: {
    type: 'counter',
    help: 'Keys whose use was noted, each once a minute at most.',
  },
  campaign_mirror_key_use_writes_total: {
    type: 'counter',
    help: 'Writes of when keys were last used.',
    labels: { result: ['done', 'failed'] },
  },
});
