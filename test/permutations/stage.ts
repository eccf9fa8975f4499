import type { AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { QueryResult } from 'pg';
import type { TestDatabase } from '../support/database/database-server.ts';
import type { State } from './judge.ts';

/** The campaign of one order of steps, and its owners and key. */
export interface Stage {
  readonly campaign: CampaignId;
  readonly key: AccessKeyId;
  readonly owner: OwnerId;
  readonly otherOwner: OwnerId;
}

export const [first, anew] = ['https://example.com/before', 'https://example.com/anew'];

export async function prepared({ admin, name }: TestDatabase): Promise<void> {
  await admin.query(`
    alter database ${name} set deadlock_timeout = '50ms';
    -- Otherwise the plans of the first orders, which are kept, read whole tables.
    alter database ${name} set enable_seqscan = off;
    set enable_seqscan = off;
    create index on campaign_mirror.mirror_history (campaign_id);
    create index on campaign_mirror.operator_audit (access_key_id)`);
}

const stagedAtOnce = 500;
/** As a restore inserts them, without triggers. Every second mirror has the time of a clock that was ahead. */
const stagedText = (after: number, last: number) => `
  begin;
  set local session_replication_role = replica;
  create temporary table staged on commit drop as select generate_series(${after + 1}, ${last}) as id;
  insert into campaign_mirror.campaigns (id, owner_id) select id, 2 * id from staged;
  insert into campaign_mirror.access_keys (id, hash, displayed, name, owner_id)
  select id, sha256(id::text::bytea), 'shown', 'tests', 2 * id from staged;
  insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url, updated_at)
  select id, 2 * id, false, '${first}', now() + interval '10 minutes' * (1 - id % 2) from staged
  returning campaign_id::float8 as campaign, id::float8 as mirror;
  commit`;

/** Campaigns, each for one order. */
export function stagesIn({ admin }: TestDatabase) {
  const ready: { campaign: CampaignId; mirror: number }[] = [];
  let last = 1;
  return async (): Promise<{ stage: Stage; state: State }> => {
    if (ready.length === 0) {
      const results: unknown = await admin.query(stagedText(last, last + stagedAtOnce));
      last += stagedAtOnce;
      for (const { rows } of results as QueryResult[]) ready.push(...rows);
    }
    const { campaign, mirror } = ready.pop() as (typeof ready)[number];
    const owner = (2 * campaign) as OwnerId;
    const otherOwner = (owner + 1) as OwnerId;
    const state: State = {
      campaign: { owner, isDefault: false },
      mirror: { address: first, clicks: 0, isFirst: true },
      deleted: '',
      isRevoked: false,
      firstMirror: mirror,
      changes: [],
      entries: [],
    };
    return { stage: { campaign, key: Number(campaign) as AccessKeyId, owner, otherOwner }, state };
  };
}
