/**
 * The statement that moves mirrors: $1 to $3 are arrays of campaigns, their addresses before and after; $4 is the
 * required owner, or null; $5 whether default campaigns move, too; $6 the request. As for one mirror, campaigns are
 * locked before mirrors, each in a materialized step of its own. Without waiting, rows that were not moved are judged
 * afterwards: one that still is as seen is locked by another transaction; any other has changed.
 */
export function movingMirrors({ wait }: { wait: boolean }): string {
  const whenLocked = wait ? '' : 'skip locked';
  const judged = '($4::bigint is null or campaigns.owner_id = $4) and ($5 or not campaigns.is_default)';
  return `
  with asked as materialized (
    select * from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as asked (campaign_id, before, after, place)
  ), judged as materialized (
    select campaigns.id, campaigns.owner_id, asked.before, asked.after
    from campaign_mirror.campaigns join asked on asked.campaign_id = campaigns.id
    where ${judged}
    for share of campaigns ${whenLocked}
  ), locked as materialized (
    select mirrors.id, mirrors.target_url, mirrors.updated_at, judged.owner_id, judged.after
    from campaign_mirror.mirrors join judged on judged.id = mirrors.campaign_id
    where mirrors.target_url = judged.before
    for no key update of mirrors ${whenLocked}
  ), timed as materialized (
    select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as now from locked
  ), changed as (
    update campaign_mirror.mirrors
    set target_url = timed.after, updated_externally = true, updated_externally_at = timed.now, updated_at = timed.now
    from timed where mirrors.id = timed.id
    returning mirrors.*
  ), recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
    select changed.campaign_id, changed.id, 'operator', null, timed.owner_id, timed.target_url, changed.target_url,
      changed.updated_at, $6
    from changed join timed on timed.id = changed.id
  )
  select changed.id is not null as moved, changed.id is null and exists (
    select from campaign_mirror.campaigns join campaign_mirror.mirrors on mirrors.campaign_id = campaigns.id
    where campaigns.id = asked.campaign_id and mirrors.target_url = asked.before and ${judged}
  ) as held
  from asked left join changed on changed.campaign_id = asked.campaign_id
  order by asked.place`;
}
