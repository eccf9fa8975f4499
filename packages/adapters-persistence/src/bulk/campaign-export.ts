import type { CampaignExport, CampaignRecord } from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { numberOf } from '../connection/rows.ts';
import { cursorRows, ofOneMoment } from '../connection/snapshot.ts';
import { namedCampaigns, type RecordRow, recordOf, recordsText } from '../statements/campaign-record-row.ts';

const all = recordsText(`(${namedCampaigns}) as asked`);

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
  total?.(await numberOf(client, 'select count(*) as number from campaign_mirror.campaigns'));
  yield* cursorRows<RecordRow>(client, all);
}
