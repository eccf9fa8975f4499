import type { CampaignExport, CampaignRecord } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { cursorRows, ofOneMoment } from '../connection/transaction.ts';
import { namedCampaigns, type RecordRow, recordOf, recordsText } from '../statements/campaign-record-row.ts';

const all = recordsText(`(${namedCampaigns}) as asked`);

/** Exports all campaigns and their mirrors from PostgreSQL. */
export class PostgresCampaignExport implements CampaignExport {
  readonly #pool: Pool;
  readonly #signal: AbortSignal | undefined;

  /** `signal` ends a reading at once, by throwing the signal's reason. */
  constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  async count(): Promise<number> {
    const text = 'select count(*) as number from campaign_mirror.campaigns';
    const counting = ofOneMoment(this.#pool, this.#signal, (client) =>
      cursorRows<{ number: number }>(client, text),
    );
    let all = 0;
    for await (const { number } of counting) all = number;
    return all;
  }

  async *all(): AsyncGenerator<CampaignRecord> {
    const rows = ofOneMoment(this.#pool, this.#signal, (client) => cursorRows<RecordRow>(client, all));
    for await (const row of rows) yield recordOf(row);
  }
}
