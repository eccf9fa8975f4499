import type { AccessKeyId, AuditId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { isExpiringWithin } from '../schema/keys.ts';
import { tableNames } from '../schema/tables.ts';

/** Far above the owner numbers that anybody starts with, so that the key of the first opens no campaign of yours. */
export const demonstrationOwners = [
  9_007_199_254_740_001 as OwnerId,
  9_007_199_254_740_002 as OwnerId,
] as const;

const emptyText = `
  select ${tableNames.map((table) => `not exists (select from campaign_mirror.${table})`).join(' and ')} as empty`;

/** Whether there is no row, and never was one: history and audit outlive what they describe. @throws Unavailable */
export async function isEmpty(pool: Pool): Promise<boolean> {
  return (await rowOf<{ empty: boolean }>(pool, emptyText)).empty;
}

// What the service shows on its pages: its role may read this. Times are in seconds since 1970.

/** A key that will expire, and that no other has replaced. */
export interface ExpiringKey {
  readonly id: AccessKeyId;
  readonly owner: OwnerId;
  readonly name: string;
  /** With commas between them; null: any. */
  readonly hosts: string | null;
  readonly expiresAt: number;
  /** The number of all such keys, including those that are not listed. */
  readonly all: number;
  /** The number of those that expire within 14 days. */
  readonly soon: number;
}

/** A move of mirrors to another host, to the addresses of a file (no hosts), or one that undoes another. */
export interface RecentMove {
  readonly id: AuditId;
  readonly at: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly undoes: AuditId | null;
  readonly mirrors: number;
}

const expiringText = `
  select id, owner_id as owner, name, array_to_string(hosts, ', ') as hosts, extract(epoch from expires_at)::float8 as "expiresAt",
    count(*) over () as all, count(*) filter (where expires_at <= now() + interval '14 days') over () as soon
  from campaign_mirror.access_keys
  where ${isExpiringWithin("interval '30 days'")}
  order by expires_at, id limit 20`;

const movesText = `
  select id, extract(epoch from moved_at)::float8 as at, from_host as "from", to_host as "to", undoes, mirrors
  from campaign_mirror.recent_moves order by id desc`;

/** An index finds the default campaign, and the others of the demonstration set were created just before it. */
const demonstrationText = `
  select one.id from campaign_mirror.campaigns as by_default
  join campaign_mirror.campaigns as one
    on one.id between by_default.id - 10 and by_default.id - 1 and one.owner_id = by_default.owner_id
  join campaign_mirror.mirrors on campaign_id = one.id
  where by_default.owner_id = $1 and by_default.is_default`;

/** The keys that expire within 30 days, the next one first; at most 20. @throws Unavailable */
export const expiringKeys = (pool: Pool) => rowsOf<ExpiringKey>(pool, expiringText);

/** The last ten moves, the newest first. @throws Unavailable */
export const recentMoves = (pool: Pool) => rowsOf<RecentMove>(pool, movesText);

/** The campaign of the demonstration set that has a mirror. @throws Unavailable */
export async function demonstrationCampaign(pool: Pool): Promise<CampaignId | undefined> {
  const [found] = await rowsOf<{ id: CampaignId }>(pool, demonstrationText, [demonstrationOwners[0]]);
  return found?.id;
}
