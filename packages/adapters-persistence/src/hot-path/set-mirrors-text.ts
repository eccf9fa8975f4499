import { epochSeconds } from '../statements/epoch-seconds.ts';
import { campaignOf, provenKey } from '../statements/judged-facts.ts';

/*
 * The statements that set mirrors for many at once. $1 to $6 are the members in their order: campaign, its owner and
 * flag as seen, address, access key, request id. Each member has one row, with its place: a `SetMirrorRow` where its
 * mirror was set, else an `UnsetRow`.
 *
 * Only members whose key is valid and whose campaign is as seen lock anything. As in `settingMirror` what was judged is
 * locked, then the mirror, and then the time is taken.
 *
 * The arrays come from subqueries, so that the planner takes any number of members for the same: it keeps its plan
 * instead of making one for each batch. The limit keeps it from reading a whole small table for a few members.
 */

const asked = `asked as materialized (
    select asked.*, ${provenKey('asked.access_key_id', 'asked.owner_id')} as key_is_valid
    from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::boolean[]), (select $4::text[]),
        (select $5::bigint[]), (select $6::text[])) with ordinality
      as asked (campaign_id, owner_id, is_default, address, access_key_id, request_id, place)
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
        where campaigns.owner_id = asked.owner_id and campaigns.is_default = asked.is_default and key_is_valid
        for share of campaigns${orNot} for no key update of mirrors${orNot}
      ) as locked`;

const setting = `
    update campaign_mirror.mirrors
    set target_url = address, updated_externally = true, updated_externally_at = changed_at, updated_at = changed_at`;

/** Records what was set, and tells of each member. `written`: the step that holds what was set; `order`: of its records. */
const recordedAndTold = (written: string, order = '') => `recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
    select campaign_id, mirror_id, 'key', access_key_id, owner_id, address_before, address, changed_at, request_id
    from ${written}${order}
  )
  select mirror_id, clicks, ${epochSeconds('created_at')}, ${epochSeconds('changed_at')},
    null as key_is_valid, null as campaign_owner_id, null as is_default, null as has_mirror, place
  from ${written}
  union all
  select null, null, null, null, key_is_valid, campaign.*, place
  from asked left join lateral (${campaignOf('asked.campaign_id')} limit 1) as campaign on true
  where place not in (select place from ${written})`;

/** Each member is of another campaign. Waits for nobody: what others hold is left out. */
export const setMirrorsText = `
  with ${asked}, changed as (${setting}
    from (${timed(' skip locked')}
    ) as timed
    where mirrors.id = mirror_id
    returning timed.*
  ), ${recordedAndTold('changed')}`;

/**
 * Several members of one campaign are a chain. The address before, the time (a microsecond each) and which of them is
 * the last, the one that stays, are found after the locks, because the first may be left out, a rival commit, and the
 * second find the rival's address. Written is what belongs to a mirror that was really updated; by `is true` it is found
 * by a hash instead of each with each.
 */
const setChains = (orNot: string) => `
  with ${asked}, chained as materialized (
    select campaign_id, mirror_id, owner_id, access_key_id, request_id, address, place, clicks, created_at,
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

/** Waits for nobody, like `setMirrorsText`. */
export const setChainsText = setChains(' skip locked');

/** Waits for whoever holds the campaigns or their mirrors. */
export const setHeldChainsText = setChains('');
