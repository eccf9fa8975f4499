import type {
  CampaignId,
  HistoryEntry,
  HistoryId,
  HistoryPage,
  KeyChanges,
  MirrorHistory,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
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
const keys = `${entries} access_key_id = $1 and ($2::timestamptz is null or changed_at >= $2) order by id`;

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

  ofKey({ key, since }: KeyChanges): AsyncGenerator<HistoryEntry> {
    return ofOneMoment(this.#pool, this.#signal, (client) =>
      cursorRows<HistoryEntry>(client, keys, [key, since]),
    );
  }
}
