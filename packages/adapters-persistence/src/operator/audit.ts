import type { Audit, AuditEntry } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { schema, timestampText } from '../schema/schema.ts';

/** The columns of an `AuditEntry`. A move is one entry: its first, with the mirrors of all its parts. */
const page = `
  select id, ${timestampText('acted_at')} as "actedAt", act, operator, database_role as "databaseRole",
    request_id as "requestId", campaign_id as "campaignId", owner_id as "ownerId", access_key_id as "accessKeyId",
    case act when 'mirrors-moved' then details || jsonb_build_object('mirrors',
      (details->>'mirrors')::int + (select coalesce(sum((part.details->>'mirrors')::int), 0)
        from ${schema}.operator_audit as part where part.part_of = entries.id)) else details end as details
  from ${schema}.operator_audit as entries
  where part_of is null and ($1::bigint is null or campaign_id = $1) and ($2::bigint is null or id < $2)
  order by id desc limit $3`;

/** The port `Audit` on PostgreSQL. */
export const postgresAudit = (pool: Pool): Audit => ({
  list: ({ campaign, before, limit }) => rowsOf<AuditEntry>(pool, page, [campaign, before, limit]),
});
