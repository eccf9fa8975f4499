import type { AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
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
  from generate_series($1::bigint, $2) as id returning campaign_id::float8 as campaign, id::float8 as mirror`;
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
        const range = [last + 1, last + stagedAtOnce];
        last += stagedAtOnce;
        await admin.query(stagedText, range);
        const { rows } = await admin.query(mirrorsText, [...range, first]);
        ready.push(...rows);
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
