import { Unavailable } from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { asTextRows, rowOf, rowsOf, safeInteger } from '../connection/rows.ts';
import { cursorRows, inTransaction, streamSnapshot } from '../connection/transaction.ts';
import { mirrorsValues, resultsOf } from '../statements/set-statement.ts';
import { examineMirrors } from './campaign-store.ts';
import { changesOfMove } from './history-queries.ts';

/** Parameters: those of `mirrorsValues`, then act, operator, request, details, and the move that it continues. */
export const setAsOperatorText = ({ waits }: { waits: boolean }) => `
  select * from campaign_mirror.set_mirrors_as_operator($1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11)`;

const foundColumns = `
  json_build_object('id', campaign_id, 'ownerId', owner_id, 'isDefault', is_default,
    'hasMirror', target_url is not null) as campaign, target_url as address, last_change_id as "lastChange"`;

const campaignsText = `
  select ${foundColumns} from (
    select campaigns.id as campaign_id, campaigns.owner_id, campaigns.is_default, target_url, last_change_id
    from campaign_mirror.campaigns left join campaign_mirror.mirrors on campaign_id = campaigns.id
    where campaigns.id = any ($1::bigint[])) as found`;

const countText = `
  select count(*) as number from campaign_mirror.mirrors
  where $1::bigint is null or campaign_id in (select id from campaign_mirror.campaigns where owner_id = $1)`;

/**
 * The mirrors of a move with the addresses to restore. A later move and its undo together count as no change. If the
 * move set a mirror twice, the last change counts.
 */
const undoText = `
  select changes.campaign_id as campaign, address_before as address, address_after as expected,
    case when state.id = changes.id then last_id else changes.id end as "lastChange", changer.by as "changedBy"
  from (${changesOfMove}) as changes, lateral (
      with recursive states as (
        select last.id, previous_id, audit_id
        from campaign_mirror.mirrors join campaign_mirror.mirror_history as last on last.id = last_change_id
        where mirrors.campaign_id = changes.campaign_id
        union all
        select before.id, before.previous_id, before.audit_id
        from states join campaign_mirror.mirror_history as undone on undone.id = states.previous_id
          join campaign_mirror.mirror_history as before on before.id = undone.previous_id
          join campaign_mirror.operator_audit as undo on undo.id = states.audit_id
          join campaign_mirror.operator_audit as move on move.id = undone.audit_id
        where undone.id > changes.id and undo.details->'undoes' = to_jsonb(coalesce(move.part_of, move.id))
      ) select min(id) as id, max(id) as last_id from states
    ) as state left join lateral (
      select coalesce(part_of, act.id) as move, case
        when act = 'mirrors-moved' then 'move ' || coalesce(part_of, act.id) when actor = 'operator' then 'an operator'
        else concat_ws(' ', actor, coalesce(subject, change.access_key_id::text)) end as by
      from campaign_mirror.mirror_history as change left join campaign_mirror.operator_audit as act on act.id = audit_id
      where change.id = state.id and change.id > changes.id) as changer on true
  where changer.move is distinct from $1
  order by changes.id`;

const isMove = "act = 'mirrors-moved' and part_of is null";

const moveText = `
  select exists (
      select from campaign_mirror.operator_audit as part
      where (part.id = move.id or part.part_of = move.id) and part.details ? 'include_default') as "includeDefault"
  from campaign_mirror.operator_audit as move where id = $1 and ${isMove}`;

/** The last move with these details and this owner, if it was neither finished nor undone. */
const interruptedText = `
  select id from (
    select id from campaign_mirror.operator_audit
    where ${isMove} and details - '{mirrors,include_default}'::text[] = $1::jsonb and owner_id is not distinct from $2
    order by id desc limit 1) as move
  where not exists (
      select from campaign_mirror.operator_audit where part_of = move.id and details ? 'finished')
    and not exists (
      select from campaign_mirror.operator_audit as later
      where later.id > move.id and ${isMove} and later.details->'undoes' = to_jsonb(move.id))`;

/** How long a move waits for one lock, in milliseconds. For other acts, the limit of the database applies. */
const lockTimeout = 2_000;

/** The port `OperatorMirrors` on PostgreSQL, for one act. `signal` ends `mirrorsToUndo`. */
export function postgresOperatorMirrors(
  pool: Pool,
  act: operator.OperatorAct,
  signal?: AbortSignal,
): operator.OperatorMirrors {
  /** The first entry of the move in the audit. */
  let moveId: operator.AuditId | undefined;

  const set = async (
    mirrors: readonly operator.MirrorToSet[],
    { kind, details, includeDefault }: operator.MirrorAct,
    waits: boolean,
    finished?: true,
  ) => {
    const isMove = kind === 'mirrors-moved';
    const given = JSON.stringify({ ...details, ...(includeDefault && { include_default: true }), finished });
    const entry = [kind, act.operator, act.requestId, given, isMove ? moveId : undefined];
    const values = [...mirrorsValues(mirrors), ...entry];
    const settings = waits && isMove ? `set local lock_timeout = ${lockTimeout}` : '';
    const query = { text: setAsOperatorText({ waits }), values, ...asTextRows };
    const run = (client: PoolClient) => client.query<(string | null)[]>(query);
    return (await inTransaction(pool, run, settings)).rows;
  };

  return {
    get moveId() {
      return moveId;
    },
    count: async (owner) => (await rowOf<{ number: number }>(pool, countText, [owner])).number,
    find: (campaigns) => rowsOf<operator.FoundMirror>(pool, campaignsText, [campaigns]),
    findByHost: (page) => examineMirrors(pool, foundColumns, page),
    mirrorsToUndo: (move) => streamSnapshot(pool, signal, (client) => cursorRows(client, undoText, [move])),
    findMove: async (move) => (await rowsOf<operator.FoundMove>(pool, moveText, [move]))[0],
    resume: async ({ owner, details }) => {
      const values = [JSON.stringify(details), owner];
      moveId = (await rowsOf<{ id: operator.AuditId }>(pool, interruptedText, values))[0]?.id;
    },
    finish: async (act) => void (await set([], act, false, true)),
    set: async (mirrors, act, waits) => {
      try {
        const rows = await set(mirrors, act, waits);
        const results = resultsOf(mirrors, rows);
        // The move gets its number with its first transaction.
        if (results.some(({ kind }) => kind === 'mirror-set'))
          moveId ??= safeInteger(rows[0]?.at(-1) ?? '') as operator.AuditId;
        return results;
      } catch (error) {
        const isLock = waits && error instanceof Unavailable && isLocked(error.cause);
        if (act.kind !== 'mirrors-moved' || !isLock) throw error;
        return [{ kind: 'locked' }];
      }
    },
  };
}
