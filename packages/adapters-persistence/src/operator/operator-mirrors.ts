import type * as domain from '@campaign-mirror/domain';
import { Unavailable } from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { rowOf, rowsOf, safeInteger, textRowsOf } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';
import { type MirrorToSet, mirrorsValues, resultsOf, type SetResult } from '../statements/set-mirrors.ts';
import { examineMirrors } from './campaign-records.ts';

/** With the values of `mirrorsValues`, then act, operator, request, details, and the move that it continues. */
export const setAsOperatorText = ({ waits }: { waits: boolean }) => `
  select * from campaign_mirror.set_mirrors_as_operator($1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11)`;

/**
 * Only a statement for a single mirror may wait for a lock: as long as the database does, or up to `lockTimeout`
 * milliseconds. The entry in the audit exists if any mirror was set; `partOf`: the move that it continues.
 * @throws Unavailable
 */
function setAsOperator(
  pool: Pool,
  act: operator.OperatorAct,
  kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved',
  mirrors: readonly MirrorToSet[],
  details: object,
  how: { waits: boolean; lockTimeout?: number; partOf?: operator.AuditId | undefined },
) {
  const entry = [kind, act.operator, act.requestId, JSON.stringify(details), how.partOf];
  const values = [...mirrorsValues(mirrors), ...entry];
  const set = async (client: PoolClient) => {
    const rows = await textRowsOf(client, setAsOperatorText(how), values);
    const id = safeInteger(rows[0]?.at(-1) ?? '') as operator.AuditId;
    return { results: resultsOf(mirrors, rows), entry: id };
  };
  return inTransaction(pool, set, how.lockTimeout ? `set local lock_timeout = ${how.lockTimeout}` : '');
}

/** The port `OperatorMirrors` on PostgreSQL, for one act. */
export const postgresOperatorMirrors = (pool: Pool, act: operator.OperatorAct): operator.OperatorMirrors => ({
  setMirror: async (seen, address, { change, lastChange }) => {
    if (!seen.hasMirror) return undefined;
    const { id: campaign, ownerId: owner, isDefault } = seen;
    const kind = change === undefined ? 'mirror-set' : 'mirror-restored';
    const mirrors = [{ campaign, owner, isDefault, address, lastChange }];
    const { results } = await setAsOperator(pool, act, kind, mirrors, { change }, { waits: true });
    const [result] = results;
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

const countText = `
  select count(*) as number from campaign_mirror.mirrors
  where $1::bigint is null or campaign_id in (select id from campaign_mirror.campaigns where owner_id = $1)`;

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
  select id as change, campaign_id as campaign, address_before as address, address_after as expected
  from campaign_mirror.mirror_history where audit_id = $1 and id between $2 and $3 order by id limit $4`;

const undoneByText = `
  select (select max(id) from campaign_mirror.operator_audit as later
    where id > $1 and act = 'mirrors-moved' and part_of is null and details->'undoes' = to_jsonb($1::bigint)) as "undoneBy"
  from campaign_mirror.operator_audit where id = $1 and act = 'mirrors-moved' and part_of is null`;

/** The number of waits for a lock that can time out during one move; after them, it waits for no lock. */
const maxTimedOutWaits = 15;

/** The longest wait for one lock, in milliseconds. */
const lockTimeout = 2_000;

const outcomes: Partial<Record<SetResult['kind'], operator.MirrorMoveOutcome>> = {
  'mirror-set': 'moved',
  locked: 'locked',
};

/** The port `MirrorMoves` on PostgreSQL, for one move. */
export function postgresMirrorMoves(pool: Pool, act: operator.OperatorAct): operator.MirrorMoves {
  /** The first entry of the move in the audit. */
  let moveId: operator.AuditId | undefined;
  /** The campaigns of the mirrors that were locked when a batch reached them. They are waited for one by one. */
  const locked = new Set<domain.CampaignId>();
  let timedOutWaits = 0;

  async function set(moves: readonly operator.MirrorMove[], options: operator.MoveOptions, waits: boolean) {
    const { owner = null, details, includeDefault } = options;
    const isDefault = includeDefault ? null : false;
    const mirrors = moves.map(({ campaign, before, after }) => {
      return { campaign, owner, isDefault, address: after, expected: before };
    });
    const how = { waits, lockTimeout, partOf: moveId };
    const { results, entry } = await setAsOperator(pool, act, 'mirrors-moved', mirrors, details, how);
    // The move has a number only when its first transaction is committed.
    if (results.some(({ kind }) => kind === 'mirror-set')) moveId ??= entry;
    return results.map(({ kind }) => outcomes[kind] ?? 'changed-meanwhile');
  }

  async function waitedFor(move: operator.MirrorMove, options: operator.MoveOptions) {
    try {
      const [outcome] = await set([move], options, true);
      // Whoever held the lock may have changed the row, which is read again after the wait.
      return outcome === 'moved' ? 'moved' : 'changed-meanwhile';
    } catch (error) {
      if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
      timedOutWaits += 1;
      return 'locked';
    }
  }

  return {
    get moveId() {
      return moveId;
    },

    count: async (owner) => (await rowOf<{ number: number }>(pool, countText, [owner])).number,

    find: (page) => examineMirrors<operator.FoundCampaign<domain.MirrorAddress>>(pool, columns, page),

    findCampaigns: (campaigns) => rowsOf<operator.FoundCampaign>(pool, campaignsText, [campaigns]),

    undoing: async (move, after, limit) => {
      const lines: operator.AddressLine[] = [];
      for (const { id, first, last } of await rowsOf(pool, partsText, [move, after ?? 0, limit])) {
        const rest = limit - lines.length;
        if (rest <= 0) break;
        lines.push(...(await rowsOf<operator.AddressLine>(pool, changesText, [id, first, last, rest])));
      }
      return lines;
    },

    undoneBy: async (move) => {
      const [found] = await rowsOf<{ undoneBy: operator.AuditId | null }>(pool, undoneByText, [move]);
      return found?.undoneBy;
    },

    apply: async (moves, options) => {
      const [first] = moves;
      const waits = timedOutWaits < maxTimedOutWaits;
      if (waits && first && locked.delete(first.campaign)) return [await waitedFor(first, options)];
      const found = await set(moves, options, false);
      for (const [at, { campaign }] of moves.entries()) if (found[at] === 'locked') locked.add(campaign);
      return found.map((outcome) => (waits && outcome === 'locked' ? undefined : outcome));
    },
  };
}
