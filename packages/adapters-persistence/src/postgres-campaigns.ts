import type {
  Campaign,
  CampaignId,
  CampaignRepository,
  Mirror,
  MirrorChange,
  OwnerId,
} from '@campaign-mirror/domain';
import { type MirrorRow, mirrorOf, safeInteger } from './mirror-row.ts';
import { settingMirror } from './set-mirror-text.ts';
import type { Statement, Statements } from './statements.ts';

const find: Statement = {
  name: 'find-campaign',
  text: `
    select owner_id, is_default,
      exists (select from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
    from campaign_mirror.campaigns where id = $1`,
};

export const setMirrorText = settingMirror({ actor: "'key'", accessKeyId: '$5::bigint', requestId: '$6' });

const setMirror: Statement = { name: 'set-mirror', text: setMirrorText };

/** Campaigns and mirrors in PostgreSQL. */
export class PostgresCampaigns implements CampaignRepository {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async find(id: CampaignId): Promise<Campaign | undefined> {
    type Row = { owner_id: string; is_default: boolean; has_mirror: boolean };
    const [row] = await this.#statements.run<Row>(find, [id]);
    if (!row) return undefined;
    const ownerId = safeInteger(row.owner_id) as OwnerId;
    return { id, ownerId, isDefault: row.is_default, hasMirror: row.has_mirror };
  }

  async setMirror(seen: Campaign, { address, by, requestId }: MirrorChange): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const values = [seen.id, seen.ownerId, seen.isDefault, address, by.accessKeyId, requestId];
    const [row] = await this.#statements.run<MirrorRow>(setMirror, values);
    return row && mirrorOf(row);
  }
}
