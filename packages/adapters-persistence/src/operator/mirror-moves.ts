import {
  type AuditId,
  type CampaignId,
  type FoundMirrors,
  type MirrorAddress,
  type MirrorMove,
  type MirrorMoveOutcome,
  type MirrorMoves,
  type MirrorStretch,
  type MoveChange,
  type MoveTerms,
  type OperatorAct,
  type OwnerId,
  Unavailable,
} from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { isHeld } from '../connection/database-faults.ts';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { inTransaction, noteIn } from '../connection/transaction.ts';
import { movingMirrors } from './move-mirrors-text.ts';

/** Every mirror of the range is counted; where an owner is given, the addresses of others are left out. */
const findText = `
  with looked as materialized (
    select campaign_id, target_url from campaign_mirror.mirrors
    where campaign_id > $1 order by campaign_id limit $2
  )
  select looked.campaign_id, owner_id, is_default,
    case when $3::bigint is null or owner_id = $3 then looked.target_url end as target_url
  from looked join campaign_mirror.campaigns on campaigns.id = looked.campaign_id
  order by looked.campaign_id`;

interface Found {
  campaign_id: CampaignId;
  owner_id: OwnerId;
  is_default: boolean;
  target_url: MirrorAddress | null;
}

/** A move is several entries of the audit, one for each transaction, with one request; the first is its number. */
const numberText = `
  select min(id) as number from campaign_mirror.operator_audit where request_id = $1 and act = 'mirrors-moved'`;
const requestText = `
  select request_id from campaign_mirror.operator_audit where id = $1 and act = 'mirrors-moved'`;

/** The history's only index begins with the campaign: this reads it in that order. */
const changesText = `
  select history.campaign_id as campaign, address_before as before, address_after as after,
    coalesce(mirrors.id = mirror_id and updated_at = changed_at, false) as "isLatest",
    case when campaigns.id is not null then json_build_object('id', campaigns.id, 'ownerId', campaigns.owner_id,
      'isDefault', is_default, 'hasMirror', mirrors.id is not null) end as now
  from campaign_mirror.mirror_history as history
  left join campaign_mirror.campaigns on campaigns.id = history.campaign_id
  left join campaign_mirror.mirrors on mirrors.campaign_id = history.campaign_id
  where request_id = $1 and history.campaign_id > $2 order by history.campaign_id limit $3`;

const moveText = movingMirrors({ wait: false });
const moveAfterWaitText = movingMirrors({ wait: true });

/** For one lock. */
const longestWait = '2s';

/** Moves mirrors to another host, in PostgreSQL. */
export class PostgresMirrorMoves implements MirrorMoves {
  readonly #pool: Pool;
  readonly #act: OperatorAct;

  constructor(pool: Pool, act: OperatorAct) {
    this.#pool = pool;
    this.#act = act;
  }

  count(): Promise<number> {
    return numberOf(this.#pool, 'select count(*) as number from campaign_mirror.mirrors');
  }

  async find({ after, limit, owner }: MirrorStretch): Promise<FoundMirrors> {
    const rows = await rowsOf<Found>(this.#pool, findText, [after ?? 0, limit, owner ?? null]);
    const mirrors = rows.flatMap(({ target_url: address, ...row }) => {
      if (address === null) return [];
      const { campaign_id: id, owner_id: ownerId, is_default: isDefault } = row;
      return [{ campaign: { id, ownerId, isDefault, hasMirror: true }, address }];
    });
    return { mirrors, looked: rows.length, last: rows.at(-1)?.campaign_id };
  }

  async number(): Promise<AuditId | undefined> {
    const [row] = await rowsOf<{ number: AuditId | null }>(this.#pool, numberText, [this.#act.requestId]);
    return row?.number ?? undefined;
  }

  async changes(move: AuditId, after: CampaignId | undefined, limit: number) {
    const [made] = await rowsOf<{ request_id: string }>(this.#pool, requestText, [move]);
    if (!made) return undefined;
    return rowsOf<MoveChange>(this.#pool, changesText, [made.request_id, after ?? 0, limit]);
  }

  setMany(moves: readonly MirrorMove[], terms: MoveTerms): Promise<readonly MirrorMoveOutcome[]> {
    return inTransaction(this.#pool, (client) => this.#set(client, moveText, moves, terms));
  }

  async setOne(move: MirrorMove, terms: MoveTerms): Promise<MirrorMoveOutcome> {
    try {
      return await inTransaction(
        this.#pool,
        async (client) => {
          const [outcome] = await this.#set(client, moveAfterWaitText, [move], terms);
          // After waiting, the row is newer than the statement's snapshot.
          return outcome === 'moved' ? 'moved' : 'changed-meanwhile';
        },
        `set local lock_timeout = '${longestWait}'`,
      );
    } catch (error) {
      if (error instanceof Unavailable && isHeld(error.cause)) return 'held';
      throw error;
    }
  }

  async #set(
    client: PoolClient,
    text: string,
    moves: readonly MirrorMove[],
    { noted, owner, includeDefault }: MoveTerms,
  ): Promise<MirrorMoveOutcome[]> {
    const { rows } = await client.query<{ moved: boolean; held: boolean }>(text, [
      moves.map(({ campaign }) => campaign),
      moves.map(({ before }) => before),
      moves.map(({ after }) => after),
      owner ?? null,
      includeDefault,
      this.#act.requestId,
    ]);
    const mirrors = rows.filter(({ moved }) => moved).length;
    if (mirrors > 0) {
      const details = { ...noted, mirrors };
      await noteIn(client, this.#act, { act: 'mirrors-moved', ownerId: owner ?? null, details });
    }
    return rows.map(({ moved, held }) => (moved ? 'moved' : held ? 'held' : 'changed-meanwhile'));
  }
}
