import { counter, define, gauge, histogram } from './definition.ts';
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
const memberBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The hot path at the database, its pool, and the uses of keys. */
export const persistenceDefinitions = define({
  campaign_mirror_statement_duration_seconds: histogram(requestBuckets, { statement: statements }).help(
    'From handing a statement to the pool until its answer, including the wait for a connection.',
  ),
  campaign_mirror_statement_failures_total: counter({ statement: statements }).help(
    'Statements that failed.',
  ),
  campaign_mirror_statement_retries_total: counter({ statement: statements }).help(
    'Statements that were run again, because PostgreSQL ended them in favour of another transaction or their plan was stale.',
  ),
  campaign_mirror_batch_members: histogram(memberBuckets, { kind: batchKinds }).help(
    'Calls in one statement.',
  ),
  campaign_mirror_batches_split_total: counter({ kind: batchKinds }).help(
    'Batches whose members were repeated one by one after a fault of one of them.',
  ),
  campaign_mirror_statements_refused_total: counter({ statement: statements }).help(
    'Statements for many calls that PostgreSQL refused as such, for example for a missing right: a fault of the service or its role.',
  ),
  campaign_mirror_updates_set_aside_total: counter({}).help(
    'Updates that left their batch because the campaign or its mirror was locked.',
  ),
  campaign_mirror_judged_again_total: counter({}).help(
    'Updates that wrote nothing because their campaign had changed, and were judged again.',
  ),
  campaign_mirror_pool_connections: gauge({ state: ['in-use', 'idle'] }).help(
    'Database connections of the pool.',
  ),
  campaign_mirror_pool_connections_limit: gauge({}).help(
    'Limit of database connections, summed over all processes.',
  ),
  campaign_mirror_pool_waiting: gauge({}).help('Statements that wait for a connection.'),
  campaign_mirror_key_uses_noted_total: counter({}).help(
    'Keys whose use was noted, each at most once a minute.',
  ),
  campaign_mirror_key_use_writes_total: counter({ result: ['done', 'failed'] }).help(
    'Writes of the time when keys were last used.',
  ),
});
