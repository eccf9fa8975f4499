import type { AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { QueryResult } from 'pg';
import type { TestDatabase } from '../support/database/database-server.ts';
import type { Actor, Make } from './acts.ts';
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
    -- As with more rows; else the plans of the first orders, which are kept, read whole tables.
    alter database ${name} set enable_seqscan = off;
    set enable_seqscan = off;
    create index on campaign_mirror.mirror_history (campaign_id);
    create index on campaign_mirror.operator_audit (access_key_id);
    alter table campaign_mirror.mirror_history alter id restart ${lastOldChange + 1}`);
}

const stagedAtOnce = 500;
/** As a restore brings them, without the triggers. Every second mirror has the time of a clock that was ahead. */
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
  const ready: { campaign: CampaignId; mirror: number }[] = [];
  let last = 1;
  let lastOld = 0;
  /** Takes away those of the order before. */
  async function makeOldChanges(stage: Stage, state: State): Promise<void> {
    await admin.query(`begin; set local campaign_mirror.pruning = 'on';
      delete from campaign_mirror.mirror_history where id <= ${lastOldChange}; commit`);
    const values = [lastOld + 1, stage.campaign, state.firstMirror, first];
    await admin.query({ name: 'old', text: oldText, values });
    lastOld += 2;
    stage.lastChange = lastOld;
    state.oldChanges = 2;
  }
  return {
    /** The next one, with those who act on it. If one of them prunes, there is something to prune. */
    async next(makes: readonly Make[]): Promise<{ stage: Stage; state: State; made: Actor[] }> {
      if (ready.length === 0) {
        const results: unknown = await admin.query(stagedText(last, last + stagedAtOnce));
        last += stagedAtOnce;
        for (const { rows } of results as QueryResult[]) ready.push(...rows);
      }
      const { campaign, mirror } = ready.pop() as (typeof ready)[number];
      const owner = (2 * campaign) as OwnerId;
      const otherOwner = (owner + 1) as OwnerId;
      const stage = { campaign, key: Number(campaign) as AccessKeyId, owner, otherOwner, lastChange: 0 };
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
      const made = makes.map((make, nth) => make(stage, nth));
      const prunes = ({ steps }: Actor) =>
        steps.some((step) => typeof step !== 'string' && step.name === 'prune');
      if (made.some(prunes)) await makeOldChanges(stage, state);
      return { stage, state, made };
    },
  };
}
