import type { ClientBase, Pool } from 'pg';
import type { Settings } from '../settings/settings.ts';

/** What a check has found, and what to do about it: null for nothing. */
export interface Result {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
}

export const ok = (finding: string): Result => ({ state: 'ok', finding, advice: null });
export const warning = (finding: string, advice: string): Result => ({ state: 'warning', finding, advice });
export const problem = (finding: string, advice: string): Result => ({ state: 'problem', finding, advice });

export interface CheckInput {
  readonly facts: Awaited<ReturnType<typeof factsOf>>;
  readonly database: Pool | ClientBase;
  readonly settings: Settings;
  /** What the user of the database is for; if absent, its role decides. */
  readonly purpose?: 'service';
}

/** A check of a database that answers. `doctor` makes all of them. */
export interface Check {
  readonly name: string;
  /** A problem that it finds ends a start of the service. */
  readonly stops?: true;
  /** A warning, or a problem that does not end the start, is logged at a start. */
  readonly warns?: true;
  /** @throws what the driver throws, or Unavailable */
  run(input: CheckInput): Result | Result[] | Promise<Result | Result[]>;
}

/** Without these, a change answered with 200 does not survive a power loss. */
export const durable = ['fsync', 'full_page_writes', 'synchronous_commit'];

/**
 * The server and its settings; the user, and its powers beyond rights on the contents of a database; how many connections
 * processes that serve have for their readiness and in their pools, how many their user may have, and how many others have. A
 * connection whose details are hidden from this user counts as one of others.
 */
const factsText = `
  select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only,
    (select string_agg(name, ', ' order by name) from pg_settings where name = any($1) and setting = 'off') as off,
    current_setting('statement_timeout') = '0' as unlimited, current_setting('transaction_isolation') as isolation,
    current_setting('session_replication_role') as replication_role,
    has_function_privilege('lo_create(oid)', 'execute') as large_objects,
    extract(epoch from clock_timestamp())::float8 as time, rolname::text as name, rolsuper as superuser,
    coalesce(pg_has_role(nspowner, 'usage'), false) as owner, pg_get_userbyid(nspowner)::text as schema_owner,
    coalesce(pg_has_role(to_regrole('campaign_mirror_operator'), 'usage'), false) as operator,
    has_database_privilege(datname, 'create') as may_create,
    exists (select from pg_class where relnamespace = pg_namespace.oid and relname = 'mirrors') as has_tables,
    array_remove(array[case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as powers,
    least(usable, nullif(datconnlimit, -1), (select nullif(rolconnlimit, -1) from pg_roles as serving
      where serving.oid = coalesce(serving_oid, pg_roles.oid))) as allowed,
    probes, pooled, others, usable - others as room
  from pg_database, pg_roles left join pg_namespace on nspname = 'campaign_mirror', (
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as usable) as server, (
    select count(*) filter (where not is_ours)::int as others, count(*) filter (where name = 'readiness')::int as probes,
      count(*) filter (where name = '')::int as pooled,
      min(usesysid) filter (where name in ('', 'readiness')) as serving_oid
    from pg_stat_activity, lateral (
      select datname = current_database() and application_name like 'campaign-mirror%' as is_ours) as whose,
      lateral (select case when is_ours then btrim(substr(application_name, 16)) end as name) as called
    where datid is not null and usesysid is not null) as sessions
  where datname = current_database() and rolname = current_user`;

/** The row of `factsText`. */
interface Facts {
  readonly version: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly off: string | null;
  readonly unlimited: boolean;
  readonly isolation: string;
  readonly replication_role: string;
  readonly large_objects: boolean;
  /** Seconds since 1970, by the server's clock. */
  readonly time: number;
  readonly name: string;
  readonly superuser: boolean;
  readonly owner: boolean;
  /** Whether the user has the rights of the operator's role. */
  readonly operator: boolean;
  /** Null if there is no schema. */
  readonly schema_owner: string | null;
  readonly may_create: boolean;
  readonly has_tables: boolean;
  readonly powers: readonly string[];
  readonly allowed: number;
  /** Sessions of readiness, of the services' pools, and of anybody else. */
  readonly probes: number;
  readonly pooled: number;
  readonly others: number;
  readonly room: number;
}

/** What most checks need. @throws what the driver throws */
export async function factsOf(database: Pool | ClientBase) {
  const askedAt = Date.now();
  const { rows } = await (database as Pool).query<Facts>(factsText, [durable]);
  const [facts] = rows as [Facts];
  return { ...facts, clockDifference: Math.abs(facts.time - (askedAt + Date.now()) / 2_000) };
}
