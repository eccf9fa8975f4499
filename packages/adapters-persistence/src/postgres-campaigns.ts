import type {
  Campaign,
  CampaignId,
  CampaignRepository,
  Mirror,
  MirrorChange,
  OwnerId,
} from '@campaign-mirror/domain';
import { type MirrorRow, mirrorColumns, mirrorOf, safeInteger } from './mirror-row.ts';
import type { Statement, Statements } from './statements.ts';

const find: Statement = {
  name: 'find-campaign',
  text: `
    select owner_id, is_default,
      exists (select from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
    from campaign_mirror.campaigns where id = $1`,
};

/**
 * Judged facts and mirror are locked in this order, each in a materialized step of its own, because only what
 * is read under its lock is still true at the write: a rival who changes the owner is waited for, and the address
 * before is the one that was really replaced. The time is taken after the locks.
 */
export const setMirrorText = `
  with judged as materialized (
    select id, owner_id from campaign_mirror.campaigns
    where id = $1 and owner_id = $2 and is_default = $3
    for share
  ), locked as materialized (
    select mirrors.id, mirrors.target_url, mirrors.updated_at, judged.owner_id
    from campaign_mirror.mirrors join judged on mirrors.campaign_id = judged.id
    for no key update of mirrors
  ), timed as materialized (
    select locked.*, greatest(clock_timestamp(), updated_at + interval '1 microsecond') as now from locked
  ), changed as (
    update campaign_mirror.mirrors
    set target_url = $4, updated_externally = true, updated_externally_at = timed.now, updated_at = timed.now
    from timed where mirrors.id = timed.id
    returning mirrors.*
  ), recorded as (
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
    select changed.campaign_id, changed.id, 'key', $5::bigint, timed.owner_id, timed.target_url, changed.target_url,
      changed.updated_at, $6
    from changed join timed on timed.id = changed.id
  )
  select ${mirrorColumns} from changed`;

const setMirror: Statement = { name: 'set-mirror', text: setMirrorText };

/** Campaigns and mirrors in PostgreSQL. */
export class PostgresCampaigns implements CampaignRepository {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async find(id: CampaignId): Promise<Campaign | undefined> {
    type Row = { owner_id: string; is_default: boolean; has_mirror: boolean };
    const [row] = await this.#statements.run<Row>(find, [id]);
    if (!row) return undefined;
    const ownerId = safeInteger(row.owner_id) as OwnerId;
    return { id, ownerId, isDefault: row.is_default, hasMirror: row.has_mirror };
  }

  async setMirror(seen: Campaign, { address, by, requestId }: MirrorChange): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const values = [seen.id, seen.ownerId, seen.isDefault, address, by.accessKeyId, requestId];
    const [row] = await this.#statements.run<MirrorRow>(setMirror, values);
    return row && mirrorOf(row);
  }
}
