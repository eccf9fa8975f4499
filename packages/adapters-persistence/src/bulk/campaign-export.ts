import type { CampaignExport, CampaignRecord } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { cursorRows, ofOneMoment } from '../connection/snapshot.ts';
import { timestampText } from '../schema/schema.ts';
import { type RecordRow, recordOf } from '../statements/campaign-record-row.ts';

const all = `
  select campaigns.id as campaign, owner_id, is_default, name,
    ${timestampText('campaigns.created_at')} as campaign_created_at,
    mirrors.id, campaign_id, target_url, clicks, updated_externally,
    ${timestampText('updated_externally_at')} as updated_externally_at,
    ${timestampText('mirrors.created_at')} as created_at, ${timestampText('updated_at')} as updated_at
  from campaign_mirror.campaigns left join campaign_mirror.mirrors on mirrors.campaign_id = campaigns.id
  order by campaigns.id`;

/** All campaigns and their mirrors, in PostgreSQL. */
export class PostgresCampaignExport implements CampaignExport {
  readonly #pool: Pool;
  readonly #signal: AbortSignal | undefined;

  /** `signal` ends the reading at once, by throwing the signal's reason. */
  constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  /** `total` receives the number of campaigns, before the first one. */
  async *all(total?: (campaigns: number) => void): AsyncGenerator<CampaignRecord> {
    const rows = ofOneMoment(this.#pool, this.#signal, (client) => read(client, total));
    for await (const row of rows) yield recordOf(row);
  }
}

async function* read(
  client: PoolClient,
  total: ((campaigns: number) => void) | undefined,
): AsyncGenerator<RecordRow> {
  if (total) {
    const { rows } = await client.query<{ count: string }>('select count(*) from campaign_mirror.campaigns');
    total(Number(rows[0]?.count));
  }
  yield* cursorRows<RecordRow>(client, all);
}
