import type * as domain from '@campaign-mirror/domain';
import { Unavailable } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { rowOf, rowsOf, safeInteger, textRowsOf } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';
import { type MirrorToSet, mirrorsValues, resultsOf, type SetResult } from '../statements/set-mirrors.ts';
import { examineMirrors } from './campaign-records.ts';

/** For the audit. */
interface AuditedSetting {
  readonly kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved';
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The move that it continues. */
  readonly partOf?: domain.AuditId | undefined;
}

/** With the values of `mirrorsValues`, then act, operator, request, details, and the move that it continues. */
export const setAsOperatorText = ({ waits }: { waits: boolean }) => `
  select * from campaign_mirror.set_mirrors_as_operator($1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11)`;

/**
 * Only a statement for a single mirror may wait for a lock: as long as the database does, or up to `lockTimeout`
 * milliseconds. The entry in the audit exists if any mirror was set. @throws Unavailable
 */
async function setAsOperator(
  pool: Pool,
  act: domain.OperatorAct,
  mirrors: readonly MirrorToSet[],
  { kind, details, partOf }: AuditedSetting,
  { waits, lockTimeout }: { waits: boolean; lockTimeout?: number },
): Promise<{ results: SetResult[]; entry: domain.AuditId }> {
  const noted = [kind, act.operator, act.requestId, JSON.stringify(details), partOf ?? null];
  const text = setAsOperatorText({ waits });
  const settings = lockTimeout === undefined ? '' : `set local lock_timeout = ${lockTimeout}`;
  const set = async (client: PoolClient) => {
    const rows = await textRowsOf(client, text, [...mirrorsValues(mirrors), ...noted]);
    const entry = safeInteger(rows[0]?.at(-1) ?? '') as domain.AuditId;
    return { results: resultsOf(mirrors, rows), entry };
  };
  return inTransaction(pool, set, settings);
}

/** The port `OperatorMirrors` on PostgreSQL, for one act. */
export const postgresOperatorMirrors = (pool: Pool, act: domain.OperatorAct): domain.OperatorMirrors => ({
  setMirror: async (seen, address, { change, lastChange }) => {
    if (!seen.hasMirror) return undefined;
    const kind = change === undefined ? 'mirror-set' : 'mirror-restored';
    const { id: campaign, ownerId: owner, isDefault } = seen;
    const audited = { kind, details: change === undefined ? {} : { change } } as const;
    const toSet = { campaign, owner, isDefault, address, lastChange };
    const {
      results: [result],
    } = await setAsOperator(pool, act, [toSet], audited, { waits: true });
    return result?.kind === 'mirror-set' || result?.kind === 'condition-failed' ? result : undefined;
  },
});

/** The columns of a `FoundCampaign`. */
const columns = `json_build_object('id', campaign_id, 'ownerId', owner_id, 'isDefault', is_default, 'hasMirror', true)
  as campaign, target_url as address`;

const campaignsText = `
  select json_build_object('id', campaigns.id, 'ownerId', campaigns.owner_id, 'isDefault', campaigns.is_default,
    'hasMirror', mirrors.id is not null) as campaign, target_url as address, last_change_id as "lastChange"
  from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.id = any ($1::bigint[])`;

const countAll = 'select count(*) as number from campaign_mirror.mirrors';
const countOfOwner = `
  select count(*) as number from campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.owner_id = $1`;

type Part = { readonly id: domain.AuditId } & Record<'first' | 'last', domain.HistoryId>;

/** The first entries of a move that have changes after $2, each with the numbers of its first and last change. */
const partsText = `
  select id, greatest(first_change_id, $2 + 1) as first, last_change_id as last from (
    select * from campaign_mirror.operator_audit
    where id = $1 and act = 'mirrors-moved' and part_of is null and last_change_id > $2
    union all (
      select * from campaign_mirror.operator_audit where part_of = $1 and last_change_id > $2
      order by last_change_id limit $3)
  ) as parts order by last_change_id limit $3`;

/** Others' changes between these numbers belong to another entry, or to none. */
const changesText = `
  select id as change, campaign_id as campaign, address_before as before, address_after as after
  from campaign_mirror.mirror_history where audit_id = $1 and id between $2 and $3 order by id limit $4`;

const undoneByText = `
  select (select max(id) from campaign_mirror.operator_audit as later
    where id > $1 and act = 'mirrors-moved' and part_of is null and details->'undoes' = to_jsonb($1::bigint)) as "undoneBy"
  from campaign_mirror.operator_audit where id = $1 and act = 'mirrors-moved' and part_of is null`;

/** The number of waits for a lock that can time out during one move; after them, it waits for no lock. */
const maxTimedOutWaits = 15;

/** `lockTimeout` is the longest wait for one lock, in milliseconds. */
export function postgresMirrorMoves(
  pool: Pool,
  act: domain.OperatorAct,
  lockTimeout = 2_000,
): domain.MirrorMoves {
  /** The first entry of the move in the audit. */
  let moveId: domain.AuditId | undefined;
  let timedOutWaits = 0;

  async function set(moves: readonly domain.MirrorMove[], options: domain.MoveOptions, waits: boolean) {
    const { owner = null, details, includeDefault } = options;
    const isDefault = includeDefault ? null : false;
    const mirrors = moves.map(({ campaign, before, after }) => {
      return { campaign, owner, isDefault, address: after, expected: before };
    });
    const audited = { kind: 'mirrors-moved', details, partOf: moveId } as const;
    const how = waits ? { waits, lockTimeout } : { waits };
    const { results, entry } = await setAsOperator(pool, act, mirrors, audited, how);
    // The move has a number only when its first transaction is committed.
    if (results.some(({ kind }) => kind === 'mirror-set')) moveId ??= entry;
    return results.map(({ kind }) => outcomes[kind]);
  }

  return {
    get moveId() {
      return moveId;
    },

    count: async (owner) => {
      const [text, values] = owner === undefined ? [countAll, []] : [countOfOwner, [owner]];
      return (await rowOf<{ number: number }>(pool, text, values)).number;
    },

    find: (page) => examineMirrors<domain.FoundCampaign<domain.MirrorAddress>>(pool, columns, page),

    findCampaigns: (campaigns) => rowsOf<domain.FoundCampaign>(pool, campaignsText, [campaigns]),

    changes: async (move, after, limit) => {
      const parts = await rowsOf<Part>(pool, partsText, [move, after ?? 0, limit]);
      const changes: domain.MoveChange[] = [];
      for (const { id, first, last } of parts) {
        if (changes.length >= limit) break;
        const values = [id, first, last, limit - changes.length];
        changes.push(...(await rowsOf<domain.MoveChange>(pool, changesText, values)));
      }
      return changes;
    },

    undoneBy: async (move) => {
      const [found] = await rowsOf<{ undoneBy: domain.AuditId | null }>(pool, undoneByText, [move]);
      return found?.undoneBy;
    },

    setMany: (moves, options) => set(moves, options, false),

    setOne: async (move, options) => {
      if (timedOutWaits >= maxTimedOutWaits) return 'locked';
      try {
        const [outcome] = await set([move], options, true);
        // Whoever held the lock may have changed the row, which is read again after the wait.
        return outcome === 'moved' ? 'moved' : 'changed-meanwhile';
      } catch (error) {
        if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
        timedOutWaits += 1;
        return 'locked';
      }
    },
  };
}

const outcomes = {
  'mirror-set': 'moved',
  locked: 'locked',
  'caller-invalid': 'changed-meanwhile',
  'condition-failed': 'changed-meanwhile',
  'campaign-differs': 'changed-meanwhile',
} as const;
