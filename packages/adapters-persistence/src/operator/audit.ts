import type {
  AccessKeyId,
  Audit,
  AuditEntry,
  AuditId,
  AuditPage,
  CampaignId,
  OwnerId,
  Timestamp,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { timestampText } from '../schema/schema.ts';
import { safeInteger } from '../statements/mirror-row.ts';

interface Row {
  id: string;
  at: string;
  act: AuditEntry['act'];
  operator: string;
  database_role: string;
  request_id: string;
  campaign_id: string | null;
  owner_id: string | null;
  access_key_id: string | null;
  details: string;
}

const page = `
  select id, ${timestampText('acted_at')} as at, act, operator, database_role, request_id, campaign_id, owner_id,
    access_key_id, details::text
  from campaign_mirror.operator_audit
  where ($1::bigint is null or campaign_id = $1) and ($2::bigint is null or id < $2)
  order by id desc limit $3`;

/** The audit of the operator's acts, in PostgreSQL. */
export class PostgresAudit implements Audit {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async list({ campaign, before, limit }: AuditPage): Promise<AuditEntry[]> {
    return (await rowsOf<Row>(this.#pool, page, [campaign, before, limit])).map(entryOf);
  }
}

function entryOf(row: Row): AuditEntry {
  return {
    id: safeInteger(row.id) as AuditId,
    at: row.at as Timestamp,
    act: row.act,
    operator: row.operator,
    databaseRole: row.database_role,
    requestId: row.request_id,
    campaignId: row.campaign_id === null ? null : (safeInteger(row.campaign_id) as CampaignId),
    ownerId: row.owner_id === null ? null : (safeInteger(row.owner_id) as OwnerId),
    accessKeyId: row.access_key_id === null ? null : (safeInteger(row.access_key_id) as AccessKeyId),
    details: JSON.parse(row.details),
  };
}
