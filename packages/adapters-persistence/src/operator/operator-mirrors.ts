import { Unavailable } from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { rowOf, rowsOf, safeInteger, textRowsOf } from '../connection/rows.ts';
import { inTransaction, rowsOfOneMoment } from '../connection/transaction.ts';
import { mirrorsValues, resultsOf } from '../statements/set-mirrors.ts';
import { examineMirrors } from './campaign-records.ts';
import { changesOfMove } from './history-and-audit.ts';

/** With the values of `mirrorsValues`, then act, operator, request, details, and the move that it continues. */
export const setAsOperatorText = ({ waits }: { waits: boolean }) => `
  select * from campaign_mirror.set_mirrors_as_operator($1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11)`;

/** The columns of a `FoundMirror`. */
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

const undoingText = `
  select campaign_id as campaign, address_before as address, address_after as expected, id as "lastChange"
  from (${changesOfMove}) as changes order by id`;

const undoneByText = `
  select (select max(id) from campaign_mirror.operator_audit as later
    where id > $1 and act = 'mirrors-moved' and part_of is null and details->'undoes' = to_jsonb($1::bigint)
  ) as "undoneBy"
  from campaign_mirror.operator_audit where id = $1 and act = 'mirrors-moved' and part_of is null`;

/** The longest wait for one lock of a move, in milliseconds. For a single mirror, the limit of the database holds. */
const lockTimeout = 2_000;

/** The port `OperatorMirrors` on PostgreSQL, for one act. `signal` ends `undoing` at once. */
export function postgresOperatorMirrors(
  pool: Pool,
  act: operator.OperatorAct,
  signal?: AbortSignal,
): operator.OperatorMirrors {
  /** The first entry of the move in the audit. */
  let moveId: operator.AuditId | undefined;
  return {
    get moveId() {
      return moveId;
    },

    count: async (owner) => (await rowOf<{ number: number }>(pool, countText, [owner])).number,

    find: (campaigns) => rowsOf<operator.FoundMirror>(pool, campaignsText, [campaigns]),

    naming: (page) => examineMirrors(pool, foundColumns, page),

    undoing: (move) => rowsOfOneMoment(pool, signal, undoingText, [move]),

    undoneBy: async (move) => {
      const [found] = await rowsOf<{ undoneBy: operator.AuditId | null }>(pool, undoneByText, [move]);
      return found?.undoneBy;
    },

    set: async (mirrors, { kind, details }, waits) => {
      const isMove = kind === 'mirrors-moved';
      const entry = [kind, act.operator, act.requestId, JSON.stringify(details), isMove ? moveId : undefined];
      const values = [...mirrorsValues(mirrors), ...entry];
      const settings = waits && isMove ? `set local lock_timeout = ${lockTimeout}` : '';
      try {
        const set = (client: PoolClient) => textRowsOf(client, setAsOperatorText({ waits }), values);
        const rows = await inTransaction(pool, set, settings);
        const results = resultsOf(mirrors, rows);
        // The move has a number only when its first transaction is committed.
        if (results.some(({ kind }) => kind === 'mirror-set'))
          moveId ??= safeInteger(rows[0]?.at(-1) ?? '') as operator.AuditId;
        return results;
      } catch (error) {
        if (!(isMove && waits && error instanceof Unavailable && isLocked(error.cause))) throw error;
        return [{ kind: 'locked' }];
      }
    },
  };
}
