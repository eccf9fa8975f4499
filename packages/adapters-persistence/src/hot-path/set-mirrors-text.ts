import { epochSeconds } from '../statements/epoch-seconds.ts';
import { campaignOf, provenCaller } from '../statements/judged-facts.ts';

/*
 * The statements that set mirrors for many at once. $1 to $8 are the members in order: campaign, its owner and flag as
 * seen, address, access key or null, request id, actor, its name or null. Each member has one row, with its place: a
 * `SetMirrorRow` where its mirror was set, else an `UnsetRow`.
 *
 * Only members whose caller is valid and whose campaign is as seen lock anything. As in `settingMirror`, the judged
 * rows are locked first, then the mirror; then the time is taken.
 *
 * The arrays come from subqueries, so that the planner assumes the same size for any number of members and keeps one
 * plan instead of making one for each batch. The limit keeps it from scanning a whole small table for a few members.
 */

const asked = `asked as materialized (
    select asked.*, ${provenCaller('asked.access_key_id', 'asked.owner_id')} as caller_is_valid
    from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::boolean[]), (select $4::text[]),
        (select $5::bigint[]), (select $6::text[]), (select $7::text[]), (select $8::text[])) with ordinality
      as asked (campaign_id, owner_id, is_default, address, access_key_id, request_id, actor, subject, place)
  )`;

/** Members whose campaign and mirror are locked, with the mirror as it is then, and the time. */
const timed = (orNot: string) => `
      select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as changed_at
      from (
        select asked.*, mirrors.id as mirror_id, mirrors.clicks, mirrors.created_at,
          mirrors.target_url as address_before, mirrors.updated_at
        from asked
        join campaign_mirror.campaigns on campaigns.id = asked.campaign_id
        join campaign_mirror.mirrors on mirrors.campaign_id = asked.campaign_id
        where campaigns.owner_id = asked.owner_id and campaigns.is_default = asked.is_default and caller_is_valid
        for share of campaigns${orNot} for no key update of mirrors${orNot}
      ) as locked`;

const setting = `
    update campaign_mirror.mirrors
    set target_url = address, updated_externally = true, updated_externally_at = changed_at, updated_at = changed_at`;

/**
 * Records the changes and returns a row for each member. `written`: the step that holds what was set; `order`: of its
 * records.
 */
const recordedAndTold = (written: string, order = '') => `recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after, changed_at,
        request_id)
    select campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address, changed_at,
      request_id
    from ${written}${order}
  )
  select mirror_id, clicks, ${epochSeconds('created_at')}, ${epochSeconds('changed_at')},
    null as caller_is_valid, null as campaign_owner_id, null as is_default, null as has_mirror, place
  from ${written}
  union all
  select null, null, null, null, caller_is_valid, campaign.*, place
  from asked left join lateral (${campaignOf('asked.campaign_id')} limit 1) as campaign on true
  where place not in (select place from ${written})`;

/** Each member has a different campaign. Does not wait: locked rows are skipped. */
export const setMirrorsText = `
  with ${asked}, changed as (${setting}
    from (${timed(' skip locked')}
    ) as timed
    where mirrors.id = mirror_id
    returning timed.*
  ), ${recordedAndTold('changed')}`;

/**
 * Several members of one campaign form a chain. Each member's previous address, its time (a microsecond apart) and
 * whether it is the last, whose address stays, are determined after the locks, because the first member may be left
 * out, a rival may commit, and the second then finds the rival's address. Only members whose mirror was really updated
 * are recorded; `is true` makes this a hash join instead of a nested loop.
 */
const setChains = (orNot: string) => `
  with ${asked}, chained as materialized (
    select campaign_id, mirror_id, owner_id, actor, access_key_id, subject, request_id, address, place, clicks,
      created_at,
      lag(address, 1, address_before) over chain as address_before,
      first_value(changed_at) over chain + (row_number() over chain - 1) * interval '1 microsecond' as changed_at,
      lead(place) over chain is null as stays
    from (${timed(orNot)}
    ) as timed
    window chain as (partition by campaign_id order by place)
  ), changed as (${setting}
    from chained where mirrors.id = mirror_id and stays
    returning mirrors.id
  ), written as (
    select * from chained where (mirror_id in (select id from changed)) is true
  ), ${recordedAndTold('written', ' order by campaign_id, place')}`;

/** Does not wait, like `setMirrorsText`. */
export const setChainsText = setChains(' skip locked');

/** Waits for locks on the campaigns and their mirrors. */
export const setHeldChainsText = setChains('');
