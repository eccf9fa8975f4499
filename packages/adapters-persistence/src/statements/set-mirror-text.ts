import { epochSeconds } from './epoch-seconds.ts';
import { campaignOf, provenCaller } from './judged-facts.ts';

/** Who sets the mirror, as SQL expressions: $1 to $4 are the campaign, its owner and flag as seen, and the address. */
export interface SetBy {
  readonly actor: string;
  readonly accessKeyId: string;
  readonly subject: string;
  readonly requestId: string;
  /** A further condition, checked before anything is locked. */
  readonly provided?: string;
  /** A further step that writes in the same statement, from what was `changed`, such as `noted as (insert …)`. */
  readonly also?: string;
  /** Does nothing where the campaign or its mirror is locked, instead of waiting. */
  readonly skipLocked?: boolean;
}

/**
 * The steps that set a mirror; the result is in `changed`. The judged rows are locked, then the mirror, in a step of
 * its own, because only what is read under its lock is still true at the write: a rival that changes the owner is
 * waited for, and the previous address is the one that was really replaced. The time is taken after the locks.
 */
function settingMirror({
  actor,
  accessKeyId,
  subject,
  requestId,
  provided,
  also,
  skipLocked,
}: SetBy): string {
  const orNot = skipLocked ? ' skip locked' : '';
  return `
  with changed as (
    update campaign_mirror.mirrors
    set target_url = $4, updated_externally = true, updated_externally_at = timed.now, updated_at = timed.now
    from (
      select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as now
      from (
        select mirrors.id, mirrors.target_url, mirrors.updated_at, campaigns.owner_id
        from campaign_mirror.campaigns join campaign_mirror.mirrors on mirrors.campaign_id = campaigns.id
        where campaigns.id = $1 and owner_id = $2 and is_default = $3${provided ? ` and ${provided}` : ''}
        for share of campaigns${orNot} for no key update of mirrors${orNot}
      ) as locked
    ) as timed
    where mirrors.id = timed.id
    returning mirrors.id, mirrors.campaign_id, mirrors.clicks, mirrors.created_at, timed.now as changed_at,
      timed.owner_id, timed.target_url as address_before, mirrors.target_url as address_after
  ), recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after, changed_at,
        request_id)
    select campaign_id, id, ${actor}, ${accessKeyId}, ${subject}, owner_id, address_before, address_after, changed_at,
      ${requestId}
    from changed
  )${also ? `, ${also}` : ''}`;
}

const times = `${epochSeconds('created_at')} as created_at, ${epochSeconds('changed_at')} as changed_at`;

/** For the operator. Returns a `SetMirrorRow`, or no row. */
export function setMirrorByOperatorText(by: SetBy): string {
  return `${settingMirror(by)}
  select id, clicks, ${times} from changed`;
}

/**
 * For a caller: $5 is its key or null, $6 its request, $7 and $8 the actor and its name. It does not wait, and returns
 * a `SetMirrorRow` or an `UnsetRow`.
 */
export const setMirrorText = `${settingMirror({
  actor: '$7',
  accessKeyId: '$5::bigint',
  subject: '$8',
  requestId: '$6',
  provided: provenCaller('$5::bigint', '$2'),
  skipLocked: true,
})}
  select id, clicks, ${times}, null as caller_is_valid, null as campaign_owner_id, null as is_default, null as has_mirror
  from changed
  union all
  select null, null, null, null, ${provenCaller('$5::bigint', '$2')}, campaign.*
  from (select) as asked left join (${campaignOf('$1')}) as campaign on true
  where not exists (select from changed)`;
