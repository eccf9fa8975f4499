import type {
  CampaignId,
  HistoryEntry,
  HistoryId,
  HistoryPage,
  KeyChanges,
  MirrorHistory,
} from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { cursorRows, ofOneMoment } from '../connection/snapshot.ts';
import { timestampText } from '../schema/schema.ts';

/** The columns of a `HistoryEntry`. */
const entries = `
  select id, mirror_id as "mirrorId", campaign_id as "campaignId",
    concat_ws(':', actor, coalesce(subject, access_key_id::text)) as subject, owner_id as "ownerId",
    address_before as "addressBefore", address_after as "addressAfter",
    ${timestampText('changed_at')} as "changedAt", request_id as "requestId"
  from campaign_mirror.mirror_history where`;
const page = `${entries} campaign_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`;
const one = `${entries} campaign_id = $1 and id = $2`;
const ofKey = `${entries} access_key_id = $1 and ($2::timestamptz is null or changed_at >= $2)
  and ctid >= $3::tid and ctid < $4::tid order by id desc`;
const blocks = `select pg_relation_size('campaign_mirror.mirror_history') / current_setting('block_size')::int as number`;

/** The whole history is scanned in as many parts, so that it is known how far the scan is. */
const parts = 20;

/** The history in PostgreSQL. Its only index is its primary key, which begins with the campaign. */
export class PostgresMirrorHistory implements MirrorHistory {
  readonly #pool: Pool;
  readonly #signal: AbortSignal | undefined;

  /** `signal` ends the reading of a key's changes at once, by throwing the signal's reason. */
  constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  list({ campaign, before, limit }: HistoryPage): Promise<HistoryEntry[]> {
    return rowsOf<HistoryEntry>(this.#pool, page, [campaign, before, limit]);
  }

  async find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined> {
    return (await rowsOf<HistoryEntry>(this.#pool, one, [campaign, id]))[0];
  }

  ofKey(asked: KeyChanges, scanned?: (percent: number) => void): AsyncGenerator<HistoryEntry> {
    return ofOneMoment(this.#pool, this.#signal, (client) => merged(client, asked, scanned));
  }
}

/** PostgreSQL scans and sorts a part when its first row is fetched; the parts are then merged. */
async function* merged(
  client: PoolClient,
  { key, since }: KeyChanges,
  scanned: ((percent: number) => void) | undefined,
): AsyncGenerator<HistoryEntry> {
  const size = Math.ceil((await numberOf(client, blocks)) / parts);
  const heads: { entry: HistoryEntry; readonly rest: AsyncGenerator<HistoryEntry> }[] = [];
  for (let part = 0; part < parts; part++) {
    // What others append meanwhile lies behind; the history of this moment does not contain it.
    const values = [key, since, `(${part * size},0)`, `(${(part + 1) * size},0)`];
    const rest = cursorRows<HistoryEntry>(client, ofKey, values, `part_${part}`);
    const first = await rest.next();
    if (!first.done) heads.push({ entry: first.value, rest });
    scanned?.((100 * (part + 1)) / parts);
  }
  for (let head = newest(heads); head; head = newest(heads)) {
    yield head.entry;
    const next = await head.rest.next();
    if (next.done) heads.splice(heads.indexOf(head), 1);
    else head.entry = next.value;
  }
}

function newest<Head extends { readonly entry: HistoryEntry }>(heads: readonly Head[]): Head | undefined {
  return heads.reduce<Head | undefined>(
    (one, next) => (one && one.entry.id > next.entry.id ? one : next),
    undefined,
  );
}
