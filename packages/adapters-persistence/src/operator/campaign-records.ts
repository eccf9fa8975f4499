import type {
  CampaignId,
  CampaignPage,
  CampaignRecord,
  CampaignRecords,
  Mirror,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import {
  mirrorColumns,
  namedCampaigns,
  type RecordRow,
  recordOf,
  recordsText,
} from '../statements/campaign-record-row.ts';

/** One statement: a campaign and its mirror are from the same moment. */
const records = (where: string) => `
  with asked as materialized (${namedCampaigns} where ${where}) ${recordsText('asked')}`;

const one = records('id = $1');
const page = records('id > $1 and ($2::bigint is null or owner_id = $2) order by id limit $3');

const mirrorPage = `
  select ${mirrorColumns} from campaign_mirror.mirrors
  where campaign_id > $1 and ($2::bigint is null or exists
    (select from campaign_mirror.campaigns where campaigns.id = mirrors.campaign_id and owner_id = $2))
  order by campaign_id limit $3`;

/** Campaigns and their mirrors as the operator sees them, in PostgreSQL. */
export class PostgresCampaignRecords implements CampaignRecords {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(id: CampaignId): Promise<CampaignRecord | undefined> {
    const [row] = await rowsOf<RecordRow>(this.#pool, one, [id]);
    return row && recordOf(row);
  }

  async list({ owner, after, limit }: CampaignPage): Promise<CampaignRecord[]> {
    return (await rowsOf<RecordRow>(this.#pool, page, [after ?? 0, owner, limit])).map(recordOf);
  }

  listMirrors({ owner, after, limit }: CampaignPage): Promise<Mirror[]> {
    return rowsOf<Mirror>(this.#pool, mirrorPage, [after ?? 0, owner, limit]);
  }
}
