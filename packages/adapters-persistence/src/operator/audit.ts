import type { Audit, AuditEntry, AuditPage } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { timestampText } from '../schema/schema.ts';

/** The columns of an `AuditEntry`. */
const page = `
  select id, ${timestampText('acted_at')} as at, act, operator, database_role as "databaseRole",
    request_id as "requestId", campaign_id as "campaignId", owner_id as "ownerId", access_key_id as "accessKeyId", details
  from campaign_mirror.operator_audit
  where ($1::bigint is null or campaign_id = $1) and ($2::bigint is null or id < $2)
  order by id desc limit $3`;

/** The audit of the operator's acts, in PostgreSQL. */
export class PostgresAudit implements Audit {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  list({ campaign, before, limit }: AuditPage): Promise<AuditEntry[]> {
    return rowsOf<AuditEntry>(this.#pool, page, [campaign, before, limit]);
  }
}
