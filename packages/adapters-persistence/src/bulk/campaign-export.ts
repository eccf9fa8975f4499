import type { CampaignExport } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { numberOf } from '../connection/rows.ts';
import { cursorRows, ofOneMoment } from '../connection/transaction.ts';
import { namedCampaigns, type RecordRow, recordOf, recordsText } from '../statements/campaign-records.ts';

const countText = 'select count(*) as number from campaign_mirror.campaigns';
const allText = recordsText(`(${namedCampaigns}) as asked`);

/** Exports from PostgreSQL. `signal` ends a reading at once, by throwing the signal's reason. */
export function postgresCampaignExport(pool: Pool, signal?: AbortSignal): CampaignExport {
  return {
    all: (onCount) =>
      ofOneMoment(pool, signal, async function* (client) {
        onCount?.(await numberOf(client, countText));
        for await (const row of cursorRows<RecordRow>(client, allText)) yield recordOf(row);
      }),
  };
}
