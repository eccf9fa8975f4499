import { timestampText } from './entities.ts';

/**
 * The statement that sets mirrors for many at once. $1 to $3 are the campaigns, each once, with the owner and the
 * flag as seen; $4 to $7 the members in their order: campaign, address, access key, request id.
 *
 * It waits for nobody: what others hold is left out, and so is a campaign that is no longer as seen. As in
 * `settingMirror` what was judged is locked first, then the mirror. Several updates of one campaign are a chain: the
 * address before, the time (a microsecond each) and which one is the last, the one that stays, are found after the
 * locks, because a rival may commit in between.
 *
 * The arrays come from subqueries, so that the planner takes any number of members for the same: it keeps its plan
 * instead of making one for each batch.
 */
export const setMirrorsText = `
  with seen as (
    select * from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::boolean[]))
      as seen (campaign_id, owner_id, is_default)
  ), asked as (
    select * from unnest((select $4::bigint[]), (select $5::text[]), (select $6::bigint[]), (select $7::text[]))
      with ordinality as asked (campaign_id, address, access_key_id, request_id, place)
  ), judged as materialized (
    select campaigns.id, campaigns.owner_id
    from seen join campaign_mirror.campaigns on campaigns.id = seen.campaign_id
    where campaigns.owner_id = seen.owner_id and campaigns.is_default = seen.is_default
    for share of campaigns skip locked
  ), locked as materialized (
    select mirrors.id, mirrors.campaign_id, mirrors.target_url, mirrors.clicks, mirrors.created_at,
      mirrors.updated_at, judged.owner_id
    from judged join campaign_mirror.mirrors on mirrors.campaign_id = judged.id
    for no key update of mirrors skip locked
  ), timed as (
    select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as now from locked
  ), chained as materialized (
    select asked.place, asked.address, asked.access_key_id, asked.request_id, timed.id as mirror_id,
      timed.campaign_id, timed.owner_id, timed.clicks, timed.created_at,
      lag(asked.address, 1, timed.target_url) over chain as address_before,
      timed.now + (row_number() over chain - 1) * interval '1 microsecond' as changed_at,
      lead(asked.place) over chain is null as stays
    from asked join timed on timed.campaign_id = asked.campaign_id
    window chain as (partition by asked.campaign_id order by asked.place)
  ), changed as (
    update campaign_mirror.mirrors
    set target_url = address, updated_externally = true, updated_externally_at = changed_at, updated_at = changed_at
    from chained where mirrors.id = chained.mirror_id and chained.stays
  ), recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
    select campaign_id, mirror_id, 'key', access_key_id, owner_id, address_before, address, changed_at, request_id
    from chained order by place
  )
  select place, mirror_id as id, clicks, ${timestampText('created_at')} as created_at,
    ${timestampText('changed_at')} as changed_at
  from chained`;
