import type { PoolClient } from 'pg';
import type { BackupTable } from './backup.ts';

const history = 'pg_temp.version_1_history';
const audit = 'pg_temp.version_1_audit';

/** Tables without the constraints of the rows: what version 1 did not have is added before the rows are inserted. */
const create = `
  create temporary table version_1_history (like campaign_mirror.mirror_history) on commit drop;
  create temporary table version_1_audit (like campaign_mirror.operator_audit) on commit drop`;

/** An act of the operator had a request identifier of its own; the first of a move's entries was its number. */
const acts = `
  create temporary table version_1_acts on commit drop as
  select min(id) as audit_id, request_id from ${audit}
  where act in ('mirror-set', 'mirror-restored', 'mirrors-moved') group by request_id;
  analyze ${history}; analyze ${audit}; analyze pg_temp.version_1_acts`;

const linkHistory = `
  insert into campaign_mirror.mirror_history
    (id, previous_id, campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after,
      changed_at, request_id, audit_id)
  select id, lag(id) over (partition by campaign_id order by id), campaign_id, mirror_id, actor, access_key_id, subject,
    owner_id, address_before, address_after, changed_at, changes.request_id, acts.audit_id
  from ${history} as changes
  left join pg_temp.version_1_acts as acts on changes.actor = 'operator' and acts.request_id = changes.request_id
  order by id`;

const linkMirrors = `
  update campaign_mirror.mirrors set last_change_id = latest.id
  from (select campaign_id, max(id) as id from ${history} group by campaign_id) as latest
  where latest.campaign_id = mirrors.campaign_id`;

const linkAudit = `
  insert into campaign_mirror.operator_audit
    (id, acted_at, act, operator, database_role, request_id, campaign_id, owner_id, access_key_id, details, part_of,
      first_change_id, last_change_id)
  select entries.id, acted_at, act, operator, database_role, entries.request_id, entries.campaign_id, owner_id,
    access_key_id, details, case when act = 'mirrors-moved' then nullif(acts.audit_id, entries.id) end,
    made.first, coalesce(made.last, (
      select max(changes.id) from ${history} as changes
      where entries.act = 'campaign-deleted' and changes.campaign_id = entries.campaign_id
        and changes.changed_at <= entries.acted_at))
  from ${audit} as entries
  left join pg_temp.version_1_acts as acts on acts.request_id = entries.request_id
  left join (
    select audit_id, min(id) as first, max(id) as last from campaign_mirror.mirror_history
    where audit_id is not null group by audit_id
  ) as made on made.audit_id = entries.id`;

/**
 * Prepares to read a backup of version 1. Returns the tables that receive its rows first, and the function that, after
 * the last row, inserts them into their own tables, with the links between them.
 */
export async function readVersion1(client: PoolClient) {
  await client.query(create);
  const tables: Partial<Record<BackupTable, string>> = { mirror_history: history, operator_audit: audit };
  return {
    tables,
    link: async () => {
      for (const text of [acts, linkHistory, linkMirrors, linkAudit]) await client.query(text);
    },
  };
}
