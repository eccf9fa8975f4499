import {
  type AuditId,
  type CampaignId,
  type ExaminedMirrors,
  type FoundMirror,
  type HistoryId,
  type MirrorAddress,
  type MirrorMove,
  type MirrorMoveOutcome,
  type MirrorMoves,
  type MirrorPage,
  type MoveChange,
  type MoveOptions,
  type OperatorAct,
  type OwnerId,
  Unavailable,
} from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '../connection/database-faults.ts';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';
import { examineMirrors } from './campaign-records.ts';
import { setAsOperator } from './operator-mirrors.ts';

const columns =
  'campaign_id as "campaignId", owner_id as "ownerId", is_default as "isDefault", target_url as address';

interface FoundRow {
  readonly campaignId: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly address: MirrorAddress;
}

const countOfOwner = `
  select count(*) as number from campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.owner_id = $1`;

type Part = { readonly id: AuditId } & Record<'first' | 'last', HistoryId>;

const isMove = `
  select from campaign_mirror.operator_audit where id = $1 and act = 'mirrors-moved' and part_of is null`;

/** The first entries of a move that have changes after $2, each with the numbers of its first and last change. */
const partsText = `
  select id, greatest(first_change_id, $2 + 1) as first, last_change_id as last from (
    select * from campaign_mirror.operator_audit where id = $1 and last_change_id > $2
    union all (
      select * from campaign_mirror.operator_audit where part_of = $1 and last_change_id > $2
      order by last_change_id limit $3)
  ) as parts order by last_change_id limit $3`;

/** Others' changes between these numbers belong to another entry, or to none. */
const changesText = `
  select changes.id as change, changes.campaign_id as campaign, address_before as before, address_after as after,
    coalesce(mirrors.last_change_id = changes.id, false) as "isLatest",
    case when campaigns.id is not null then json_build_object('id', campaigns.id, 'ownerId', campaigns.owner_id,
      'isDefault', campaigns.is_default, 'hasMirror', mirrors.id is not null) end as now
  from campaign_mirror.mirror_history as changes
  left join campaign_mirror.campaigns on campaigns.id = changes.campaign_id
  left join campaign_mirror.mirrors on mirrors.campaign_id = changes.campaign_id
  where changes.audit_id = $1 and changes.id between $2 and $3 order by changes.id limit $4`;

const undoneByText = `
  select max(id) as id from campaign_mirror.operator_audit
  where id > $1 and act = 'mirrors-moved' and part_of is null and details->'undoes' = to_jsonb($1::bigint)`;

/** The number of waits for a lock that can time out during one move; after them, it waits for no lock. */
const maxTimedOutWaits = 15;

/** Moves mirrors to another host, in PostgreSQL. An instance makes one move. */
export class PostgresMirrorMoves implements MirrorMoves {
  readonly #pool: Pool;
  readonly #act: OperatorAct;
  /** The first entry of the move in the audit. */
  #move: AuditId | undefined;
  /** The longest wait for one lock, in milliseconds. */
  readonly #lockTimeout: number;
  #timedOutWaits = 0;

  constructor(pool: Pool, act: OperatorAct, lockTimeout = 2_000) {
    this.#pool = pool;
    this.#act = act;
    this.#lockTimeout = lockTimeout;
  }

  get moveId(): AuditId | undefined {
    return this.#move;
  }

  count(owner?: OwnerId): Promise<number> {
    return owner === undefined
      ? numberOf(this.#pool, 'select count(*) as number from campaign_mirror.mirrors')
      : numberOf(this.#pool, countOfOwner, [owner]);
  }

  async find(page: MirrorPage): Promise<ExaminedMirrors<FoundMirror>> {
    const { mirrors, examined, last } = await examineMirrors<FoundRow>(this.#pool, columns, page);
    const found = mirrors.map(({ campaignId: id, ownerId, isDefault, address }) => {
      return { campaign: { id, ownerId, isDefault, hasMirror: true }, address };
    });
    return { mirrors: found, examined, last };
  }

  async changes(move: AuditId, after: HistoryId | undefined, limit: number) {
    const [made] = await rowsOf(this.#pool, isMove, [move]);
    if (!made) return undefined;
    const parts = await rowsOf<Part>(this.#pool, partsText, [move, after ?? 0, limit]);
    const changes: MoveChange[] = [];
    for (const { id, first, last } of parts) {
      if (changes.length >= limit) break;
      const values = [id, first, last, limit - changes.length];
      changes.push(...(await rowsOf<MoveChange>(this.#pool, changesText, values)));
    }
    return changes;
  }

  async undoneBy(move: AuditId): Promise<AuditId | undefined> {
    const [found] = await rowsOf<{ id: AuditId | null }>(this.#pool, undoneByText, [move]);
    return found?.id ?? undefined;
  }

  async setMany(moves: readonly MirrorMove[], options: MoveOptions): Promise<readonly MirrorMoveOutcome[]> {
    return this.#committed((client) => this.#set(client, moves, options, 'passingOver'));
  }

  async setOne(move: MirrorMove, options: MoveOptions): Promise<MirrorMoveOutcome> {
    if (this.#timedOutWaits >= maxTimedOutWaits) return 'locked';
    try {
      const [outcome] = await this.#committed(
        (client) => this.#set(client, [move], options, 'waiting'),
        `set local lock_timeout = ${this.#lockTimeout}`,
      );
      // After waiting, the row is newer than the statement's snapshot.
      return outcome === 'moved' ? 'moved' : 'changed-meanwhile';
    } catch (error) {
      if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
      this.#timedOutWaits += 1;
      return 'locked';
    }
  }

  /** The move has a number only when its first transaction is committed. */
  async #committed(run: (client: PoolClient) => Promise<Made>, settings?: string) {
    const { outcomes, entry } = await inTransaction(this.#pool, run, settings);
    if (outcomes.includes('moved')) this.#move ??= entry;
    return outcomes;
  }

  async #set(
    client: PoolClient,
    moves: readonly MirrorMove[],
    { details, owner: only, includeDefault }: MoveOptions,
    locked: 'waiting' | 'passingOver',
  ): Promise<Made> {
    const owner = only ?? null;
    const isDefault = includeDefault ? null : false;
    const mirrors = moves.map(({ campaign, before, after }) => {
      return { campaign, owner, isDefault, address: after, expected: before };
    });
    const audited = { kind: 'mirrors-moved', owner, details, partOf: this.#move } as const;
    const { results, entry } = await setAsOperator(client, this.#act, mirrors, audited, locked);
    return { outcomes: results.map(({ kind }) => outcomes[kind]), entry };
  }
}

interface Made {
  readonly outcomes: readonly MirrorMoveOutcome[];
  readonly entry: AuditId;
}

const outcomes = {
  'mirror-set': 'moved',
  locked: 'locked',
  'caller-invalid': 'changed-meanwhile',
  'campaign-differs': 'changed-meanwhile',
  'address-differs': 'changed-meanwhile',
} as const;
