import { epochSeconds } from './epoch-seconds.ts';

/*
 * The statements that set mirrors for many at once. $1 to $6 are the members in their order: campaign, its owner and
 * flag as seen, address, access key, request id. Each row that they give back is a `SetMirrorRow` with a place.
 *
 * They wait for nobody: what others hold is left out, and so is a campaign that is no longer as seen. As in
 * `settingMirror` what was judged is locked, then the mirror, and then the time is taken.
 *
 * The arrays come from subqueries, so that the planner takes any number of members for the same: it keeps its plan
 * instead of making one for each batch.
 */

/** Members whose campaign and mirror are locked, with the mirror as it is then, and the time. */
const timed = `
      select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as changed_at
      from (
        select asked.*, mirrors.id as mirror_id, mirrors.clicks, mirrors.created_at,
          mirrors.target_url as address_before, mirrors.updated_at
        from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::boolean[]), (select $4::text[]),
            (select $5::bigint[]), (select $6::text[])) with ordinality
          as asked (campaign_id, owner_id, is_default, address, access_key_id, request_id, place)
        join campaign_mirror.campaigns on campaigns.id = asked.campaign_id
        join campaign_mirror.mirrors on mirrors.campaign_id = asked.campaign_id
        where campaigns.owner_id = asked.owner_id and campaigns.is_default = asked.is_default
        for share of campaigns skip locked for no key update of mirrors skip locked
      ) as locked`;

const recording = `
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
    select campaign_id, mirror_id, 'key', access_key_id, owner_id, address_before, address, changed_at, request_id`;

const telling = `
  select mirror_id as id, clicks, ${epochSeconds('created_at')} as created_at,
    ${epochSeconds('changed_at')} as changed_at, place`;

/** Each member is of another campaign. */
export const setMirrorsText = `
  with changed as (
    update campaign_mirror.mirrors
    set target_url = address, updated_externally = true, updated_externally_at = changed_at, updated_at = changed_at
    from (${timed}
    ) as timed
    where mirrors.id = mirror_id
    returning timed.*
  ), recorded as (${recording}
    from changed
  )${telling}
  from changed`;

/**
 * Several members of one campaign are a chain. The address before, the time (a microsecond each) and which of them is
 * the last, the one that stays, are found after the locks, because the first may be left out, a rival commit, and the
 * second find the rival's address.
 */
export const setChainsText = `
  with chained as materialized (
    select campaign_id, mirror_id, owner_id, access_key_id, request_id, address, place, clicks, created_at,
      lag(address, 1, address_before) over chain as address_before,
      first_value(changed_at) over chain + (row_number() over chain - 1) * interval '1 microsecond' as changed_at,
      lead(place) over chain is null as stays
    from (${timed}
    ) as timed
    window chain as (partition by campaign_id order by place)
  ), changed as (
    update campaign_mirror.mirrors
    set target_url = address, updated_externally = true, updated_externally_at = changed_at, updated_at = changed_at
    from chained where mirrors.id = mirror_id and stays
  ), recorded as (${recording}
    from chained order by campaign_id, place
  )${telling}
  from chained`;
