import type { AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { TestDatabase } from '../support/database/database-server.ts';
import type { State } from './judge.ts';

/** The campaign that an order of steps is about, and who acts on it. */
export interface Stage {
  readonly campaign: CampaignId;
  readonly key: AccessKeyId;
  readonly owner: OwnerId;
  readonly otherOwner: OwnerId;
  /** The number of the mirror's last change when the order begins. */
  lastChange: number;
}

/** Changes up to this number are old. */
export const lastOldChange = 999_999;

export const [first, anew] = ['https://example.com/before', 'https://example.com/anew'];

export async function prepared({ admin, name }: TestDatabase): Promise<void> {
  await admin.query(`
    alter database ${name} set deadlock_timeout = '50ms';
    create index on campaign_mirror.mirror_history (campaign_id);
    create index on campaign_mirror.operator_audit (access_key_id);
    alter table campaign_mirror.mirror_history alter id restart ${lastOldChange + 1}`);
}

const stagedAtOnce = 500;
const stagedText = `
  with campaigns as (
    insert into campaign_mirror.campaigns (id, owner_id) select id, 2 * id from generate_series($1::bigint, $2) as id
  ), keys as (
    insert into campaign_mirror.access_keys (id, hash, displayed, name, owner_id)
    select id, sha256(id::text::bytea), 'shown', 'tests', 2 * id from generate_series($1::bigint, $2) as id
  ) select`;
/** Every second mirror has the time of a clock that was ahead. */
const mirrorsText = `
  insert into campaign_mirror.mirrors (campaign_id, target_url, updated_at)
  select id, $3, now() + case when id % 2 = 0 then interval '10 minutes' else interval '0' end
  from generate_series($1::bigint, $2) as id returning campaign_id, id`;
/** Older changes have lower numbers, and these are the oldest. */
const oldText = `
  with old as (
    insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, access_key_id, owner_id,
      address_before, address_after, changed_at, request_id)
    select $1::bigint + nth, case when nth > 0 then $1 + nth - 1 end, $2::bigint, $3, 'key', $2, 2 * $2, case when nth = 0 then 'http://older' else 'http://old' end,
      case when nth = 0 then 'http://old' else $4 end,
      now() - make_interval(days => 5 - nth), 'old' from generate_series(0, 1) as nth
  ) update campaign_mirror.mirrors set last_change_id = $1 + 1 where campaign_id = $2`;

/** Campaigns to play on, each once. */
export function stagesIn({ admin }: TestDatabase) {
  const ready: { campaign: number; mirror: number }[] = [];
  let last = 1;
  let lastOld = 0;
  return {
    async next(): Promise<{ stage: Stage; state: State }> {
      if (ready.length === 0) {
        const range = [last + 1, last + stagedAtOnce];
        last += stagedAtOnce;
        await admin.query(stagedText, range);
        const { rows } = await admin.query(mirrorsText, [...range, first]);
        ready.push(...rows.map((row) => ({ campaign: Number(row.campaign_id), mirror: Number(row.id) })));
      }
      const { campaign, mirror } = ready.pop() as (typeof ready)[number];
      const owner = (2 * campaign) as OwnerId;
      const key = campaign as AccessKeyId;
      const stage = {
        campaign: campaign as CampaignId,
        key,
        owner,
        otherOwner: (owner + 1) as OwnerId,
        lastChange: 0,
      };
      const state: State = {
        campaign: { owner, isDefault: false },
        mirror: { address: first, clicks: 0, isFirst: true },
        deleted: '',
        keyWas: [],
        oldChanges: 0,
        firstMirror: mirror,
        changes: [],
        entries: [],
      };
      return { stage, state };
    },
    /** Takes away those of the order before. */
    async withOldChanges(stage: Stage, state: State): Promise<void> {
      await admin.query(`begin; set local campaign_mirror.pruning = 'on';
        delete from campaign_mirror.mirror_history where id <= ${lastOldChange}; commit`);
      await admin.query({
        name: 'old',
        text: oldText,
        values: [lastOld + 1, stage.campaign, state.firstMirror, first],
      });
      lastOld += 2;
      stage.lastChange = lastOld;
      state.oldChanges = 2;
    },
  };
}
