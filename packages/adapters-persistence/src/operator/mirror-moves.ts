import {
  type CampaignId,
  type FoundMirrors,
  type MirrorAddress,
  type MirrorMove,
  type MirrorMoveOutcome,
  type MirrorMoves,
  type MirrorStretch,
  type MoveTerms,
  type OperatorAct,
  type OwnerId,
  Unavailable,
} from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { isHeld } from '../connection/database-faults.ts';
import { rowsOf } from '../connection/rows.ts';
import { inTransaction, noteIn } from '../connection/transaction.ts';
import { safeInteger } from '../statements/mirror-row.ts';
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

  async count(): Promise<number> {
    const text = 'select count(*) from campaign_mirror.mirrors';
    const [row] = await rowsOf<{ count: string }>(this.#pool, text);
    return safeInteger(row?.count ?? '0');
  }

  async find({ after, limit, owner }: MirrorStretch): Promise<FoundMirrors> {
    type Row = { campaign_id: string; owner_id: string; is_default: boolean; target_url: string | null };
    const rows = await rowsOf<Row>(this.#pool, findText, [after ?? 0, limit, owner ?? null]);
    const mirrors = rows.flatMap(({ campaign_id, owner_id, is_default, target_url }) => {
      if (target_url === null) return [];
      const id = safeInteger(campaign_id) as CampaignId;
      const ownerId = safeInteger(owner_id) as OwnerId;
      const campaign = { id, ownerId, isDefault: is_default, hasMirror: true };
      return [{ campaign, address: target_url as MirrorAddress }];
    });
    const last = rows.at(-1);
    return { mirrors, looked: rows.length, last: last && (safeInteger(last.campaign_id) as CampaignId) };
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
        { settings: `set local lock_timeout = '${longestWait}'` },
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
    { move, owner, includeDefault }: MoveTerms,
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
      const details = { from: move.from, to: move.to.written, subdomains: move.subdomains, mirrors };
      await noteIn(client, this.#act, { act: 'mirrors-moved', ownerId: owner ?? null, details });
    }
    return rows.map(({ moved, held }) => (moved ? 'moved' : held ? 'held' : 'changed-meanwhile'));
  }
}
