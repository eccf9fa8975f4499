import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { type MikroORM, wrap } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { cursorRows, readSnapshot, streamSnapshot } from '../connection/transaction.ts';
import { AuditEntity } from '../schema/entities.ts';
import { timestampText } from '../schema/stored-values.ts';

export const selectEntries = `
  select id, mirror_id as "mirrorId", campaign_id as "campaignId",
    concat_ws(':', actor, coalesce(subject, access_key_id::text)) as subject, owner_id as "ownerId",
    address_before as "addressBefore", address_after as "addressAfter",
    ${timestampText('changed_at')} as "changedAt", request_id as "requestId"`;

/** The change before $2, if $2 is a change of campaign $1; otherwise its last change, even of a deleted mirror. */
const firstChange = `
  with recursive given as (
    select previous_id as id from campaign_mirror.mirror_history where id = $2 and campaign_id = $1
  ), first as (
    table given union all select coalesce(
      (select last_change_id from campaign_mirror.mirrors where campaign_id = $1),
      (select last_change_id from campaign_mirror.deletions where campaign_id = $1 order by id desc limit 1))
    where not exists (table given)
  )`;

/** Follows the chain of changes, newest first, while rows are needed. */
const changesOfCampaign = `
  ${firstChange}, chain as (
    select changes.* from first join campaign_mirror.mirror_history as changes on changes.id = first.id
    union all
    select changes.* from chain join campaign_mirror.mirror_history as changes on changes.id = chain.previous_id
    where chain.changed_at >= coalesce($4::timestamptz, '-infinity')
  )
  ${selectEntries} from chain
  where ($2::bigint is null or id < $2) and changed_at >= coalesce($4, '-infinity') limit $3`;

const isFirstPruned = `
  ${firstChange}
  select id is not null and not exists (
    select from campaign_mirror.mirror_history as changes where changes.id = first.id) as pruned
  from first`;

const changeById = `${selectEntries} from campaign_mirror.mirror_history where campaign_id = $1 and id = $2`;

/** Numbers rise with time, except those of simultaneous changes, so the scan begins one minute earlier. */
const changesOfKey = `
  ${selectEntries} from campaign_mirror.mirror_history
  where access_key_id = $1 and ($2::timestamptz is null or changed_at >= $2) and id > coalesce((
    select id from campaign_mirror.mirror_history
    where changed_at < $2::timestamptz - interval '1 minute' order by id desc limit 1), 0)
  order by id desc limit $3`;

/** The range of an entry can also contain changes of other acts. */
export const changesOfMove = `
  select changes.* from campaign_mirror.operator_audit as entry join campaign_mirror.mirror_history as changes
    on audit_id = entry.id and changes.id between first_change_id and last_change_id
  where entry.act = 'mirrors-moved' and (entry.id = $1 and part_of is null or part_of = $1)`;

const latestOfMove = `${selectEntries} from (${changesOfMove}) as changes
  where $2::timestamptz is null or changed_at >= $2 order by id desc limit $3`;

/** The port `MirrorHistory` on PostgreSQL. `signal` ends a stream, which then throws its reason. */
export const postgresMirrorHistory = (pool: Pool, signal?: AbortSignal): operator.MirrorHistory => ({
  list: ({ campaign, before, since, limit }) =>
    rowsOf<domain.HistoryEntry>(pool, changesOfCampaign, [campaign, before, limit, since]),
  find: async (campaign, id) => (await rowsOf<domain.HistoryEntry>(pool, changeById, [campaign, id]))[0],
  isPrunedBefore: async (campaign, change) =>
    (await rowOf<{ pruned: boolean }>(pool, isFirstPruned, [campaign, change])).pruned,
  ofKey: (...values) => streamSnapshot(pool, signal, (client) => cursorRows(client, changesOfKey, values)),
  ofMove: (...values) => streamSnapshot(pool, signal, (client) => cursorRows(client, latestOfMove, values)),
});

const survey = `
  with moment as materialized (select clock_timestamp() - make_interval(secs => $1) as older_than)
  select ${timestampText('older_than')} as "olderThan", extract(epoch from clock_timestamp())::float8 as time, (
    select changed_at < older_than from campaign_mirror.mirror_history order by id desc limit 1
  ) is true as "newestIsOld", old.*
  from moment, lateral (
    select count(*) as old, max(id) as "upTo" from campaign_mirror.mirror_history where changed_at < older_than
  ) as old`;

const prune = 'select pruned from campaign_mirror.prune_history($1, $2, $3, $4, $5)';

export const postgresHistoryPruning = (pool: Pool, act: operator.OperatorAct): operator.HistoryPruning => ({
  survey: (age) => rowOf(pool, survey, [age]),
  prune: async (olderThan, upTo, size) =>
    (await rowOf<{ pruned: number }>(pool, prune, [olderThan, upTo, size, act.operator, act.requestId]))
      .pruned,
});

export const postgresAudit = (orm: MikroORM): operator.Audit => ({
  list: async ({ campaign, act, since, before, limit }) => {
    const where = {
      partOf: null,
      ...(campaign !== undefined && { campaignId: campaign }),
      ...(act !== undefined && { act }),
      ...(since !== undefined && { actedAt: { $gte: since } }),
      ...(before !== undefined && { id: { $lt: before } }),
    };
    const options = { orderBy: { id: 'desc' as const }, limit };
    const entries = await readSnapshot(orm, (em) => em.find(AuditEntity, where, options));
    return entries.map((entry) => wrap(entry).toObject() as operator.AuditEntry);
  },
});
