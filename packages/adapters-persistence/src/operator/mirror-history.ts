import type {
  CampaignId,
  HistoryEntry,
  HistoryId,
  HistoryPage,
  KeyChanges,
  MirrorAddress,
  MirrorHistory,
  MirrorId,
  OwnerId,
  Subject,
  Timestamp,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { portFault } from '../connection/database-faults.ts';
import { cursorRows, ofOneMoment } from '../connection/snapshot.ts';
import { timestampText } from '../schema/schema.ts';
import { safeInteger } from '../statements/mirror-row.ts';

interface Row {
  id: string;
  mirror_id: string;
  campaign_id: string;
  actor: string;
  name: string | null;
  owner_id: string;
  address_before: string;
  address_after: string;
  at: string;
  request_id: string;
}

const entries = `
  select id, mirror_id, campaign_id, actor, coalesce(subject, access_key_id::text) as name, owner_id, address_before,
    address_after,
    ${timestampText('changed_at')} as at, request_id
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
    return this.#rows(page, [campaign, before, limit]);
  }

  async find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined> {
    return (await this.#rows(one, [campaign, id]))[0];
  }

  async *ofKey({ key, since }: KeyChanges): AsyncGenerator<HistoryEntry> {
    const rows = ofOneMoment(this.#pool, this.#signal, (client) =>
      cursorRows<Row>(client, keys, [key, since]),
    );
    for await (const row of rows) yield entryOf(row);
  }

  async #rows(text: string, values: unknown[]): Promise<HistoryEntry[]> {
    try {
      return (await this.#pool.query<Row>(text, values)).rows.map(entryOf);
    } catch (error) {
      throw portFault(error);
    }
  }
}

function entryOf(row: Row): HistoryEntry {
  return {
    id: safeInteger(row.id) as HistoryId,
    mirrorId: safeInteger(row.mirror_id) as MirrorId,
    campaignId: safeInteger(row.campaign_id) as CampaignId,
    subject: (row.name === null ? row.actor : `${row.actor}:${row.name}`) as Subject,
    ownerId: safeInteger(row.owner_id) as OwnerId,
    addressBefore: row.address_before as MirrorAddress,
    addressAfter: row.address_after as MirrorAddress,
    changedAt: row.at as Timestamp,
    requestId: row.request_id,
  };
}
