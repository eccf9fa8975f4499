/* The checks that a start and `doctor` make of a database that answers. Each is a query for findings and advice. */
import * as store from '@campaign-mirror/adapters-persistence/service';
import type { Pool } from 'pg';
import type { Settings } from '../settings/settings-table.ts';
import { migrate, namePrimary, restore } from './database-advice.ts';

/** The result of a check. `advice` is null if the state is ok. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
}

export const ok = (check: string, finding: string) =>
  ({ check, state: 'ok', finding, advice: null }) satisfies Finding;
export const problem = (check: string, finding: string, advice: string) =>
  ({ check, state: 'problem', finding, advice }) satisfies Finding;

/** The groups of checks: before anything else, for a command, for a start as the service's user, for `doctor`. */
const occasions = {
  first: ['first'],
  command: ['record'],
  start: ['record', 'stops', 'warns'],
  doctor: ['first', 'record', 'stops', 'warns', 'doctor'],
} as const;
export type Occasion = keyof typeof occasions;

/** Makes the checks. One that lacks the schema or a right is skipped. `ends`: a problem ends a start. */
export async function* checkDatabase(database: Pool, settings: Settings, occasion: Occasion) {
  for (const kind of occasions[occasion]) {
    for (const [check, query] of Object.entries(checksOf(settings, occasion === 'start')[kind])) {
      const found = await database.query<Finding>(query).then(
        ({ rows }) => (rows.length > 0 ? rows : [ok(check, 'nothing is wrong')]),
        (error) => {
          if (store.isForbidden(error)) return [];
          if (!store.isAbsent(error)) throw error;
          return check === 'migrations' ? [problem(check, unmade + known.join(', '), madeAnew)] : [];
        },
      );
      for (const one of found)
        yield { ...one, check, advice: one.state === 'ok' ? null : one.advice, ends: kind !== 'warns' };
    }
  }
}

const { oldestServerVersion: oldest, migrationNames: known } = store;
/** The newest version of PostgreSQL that the tests run on. */
const newest = 18;

const unmade = 'the schema is not made, not yet of this version, or without its record; pending migrations: ';
const madeAnew = `${migrate}; if there was data before, and it is gone, ${restore} instead`;

/** Migrations that are not recorded, recorded migrations of other versions, and whether the record was lost. */
const migrations = `
  select *, pending = '${known.join(', ')}' and exists (
      select from pg_proc where pronamespace = to_regnamespace('campaign_mirror')) as lost,
    (select count(*) from (${store.missingPartsText}) as missing where finding like 'the column %') as columns
  from (select
    (select string_agg(name, ', ') from unnest('{${known}}'::text[]) as known (name)
      where name not in (select name from campaign_mirror.migrations)) as pending,
    (select string_agg(name, ', ' order by name) from campaign_mirror.migrations
      where name <> all ('{${known}}')) as others) as recorded`;

/** The queries. At a start, a problem of the group `warns` is logged; one of another group ends the start. */
const checksOf = ({ POOL_SIZE, DATABASE_POOLER, STATEMENT_TIMEOUT }: Settings, starting: boolean) => ({
  first: {
    version: `
      select 'the server is PostgreSQL ' || version as finding,
        case when version < ${oldest} then 'problem' when version > ${newest} then 'warning' else 'ok' end as state,
        'use ${oldest} or newer; this version was tested on ${oldest} to ${newest}' as advice
      from (select current_setting('server_version_num')::int / 10000 as version) as server`,
    // Another encoding cannot store some values of callers, which would fail all calls in the same statement.
    encoding: `
      select case encoding when 'UTF8' then 'ok' else 'problem' end as state,
        'the database is in ' || encoding as finding,
        $$make one: create database NAME template template0 encoding 'UTF8' locale 'C'$$ as advice
      from current_setting('server_encoding') as encoding`,
  },
  record: {
    migrations: `
      select case when pending <> '' then 'problem' else 'warning' end as state, finding, advice
      from (${migrations}) as found, lateral (values
        (pending is null, 'applied by another version: ' || others, 'run that version, also for the service'),
        (pending <> '' and others <> '', 'a trial version made the schema: ' || others, 'export its '
          'campaigns with that version, then \`./campaign-mirror import\` them into a new database'),
        (others is null and not lost, '${unmade}' || pending, '${migrate}'),
        (others is null and lost and columns = 0, 'campaign_mirror.migrations lacks its row: ' || pending,
          'as the owner of the schema, then \`./campaign-mirror migrate\` again: insert into '
            'campaign_mirror.migrations (name) values (' || quote_literal(pending) || ')'),
        (columns > 0 and lost and others is null, 'no migration is recorded; missing columns: ' || columns,
          '${restore}')
      ) as cases (holds, finding, advice) where holds and (pending <> '' or others <> '')`,
  },
  stops: {
    // A killed restore leaves constraints missing and triggers disabled; no other check finds them. The check is for
    // the schema of this version only.
    schema: `
      select 'problem' as state, string_agg(finding, ', ') as finding, advice
      from (${store.missingPartsText} limit 5) as missing, (${migrations}) as found
      where pending is null and others is null group by advice order by min(finding)`,
    rights: `
      with rights as (${store.roleRightsText})
      select 'warning' as state, format('the user %s has more power than is needed: %s', name, powers) as finding,
        'use campaign_mirror_operator for commands, campaign_mirror_service for the service (ops/roles.sql), '
          'and the owner of the schema for \`./campaign-mirror migrate\` only' as advice
      from rights where powers <> ''
      union all select 'problem', 'the user ' || name || ' is a redirector''s', 'use campaign_mirror_service'
      from rights where role = 'redirector' and ${starting}
      union all select 'problem', format('the user %s lacks what the %s needs: %s', name, role, lacking),
        format('run ops/roles.sql in this database, then \`./campaign-mirror migrate\` as the owner of the schema, %s; '
          'use campaign_mirror_operator for commands, campaign_mirror_service for the service', owner)
      from rights where lacking <> ''
      union all select 'ok', format('the user %s may do what the %s does', name, role) || case
        when role <> 'operator' then '; for commands use campaign_mirror_operator' else '' end, null
      from rights where powers = '' and lacking = ''`,
    // The service uses only the sequence of the history: at a start, the others may be behind.
    sequences: `
      select case when ${starting} and sequence <> 'mirror_history_id_seq' then 'warning' else 'problem' end as state,
        format('the sequence %s is behind its table: numbers that it assigns are taken, or out of order', sequence)
          as finding,
        'run as the owner of the schema: ' || mended_by as advice
      from campaign_mirror.sequences_behind`,
    transactions: `
      select 'problem' as state, format('the history has changes of another server, up to its transaction %s: the feed '
        'would give them later, as new', max(transaction_id)) as finding, '${migrate}' as advice
      from campaign_mirror.transactions_ahead having count(*) > 0`,
  },
  warns: {
    // `migrate` also shows the times of the newest entries, which the service may not read.
    origin: `
      select 'warning' as state, 'the database came from a dump or another server: revocations, rotations, '
          'moves and transfers after the backup are lost' as finding,
        '${migrate}: it says what to check' as advice
      from (${store.locationText}) as place where moved`,
    // Each running process has one connection for readiness; the starting process is added. Besides its pool, a process
    // uses two. Behind a pooler, the server counts the pooler's connections.
    pool: `
      with serving as (
        select count(*) + ${starting ? 1 : 0} as running, min(usesysid) as role from pg_stat_activity
        where datname = current_database() and application_name = 'campaign-mirror readiness'
      ), bounds as (
        select greatest(running, 1) as processes, greatest(running, 1) * ${POOL_SIZE + 2} as needed, least(
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          nullif(datconnlimit, -1), nullif(rolconnlimit, -1)) as allowed
        from serving, pg_database, pg_roles
        where datname = current_database() and pg_roles.oid = coalesce(role, quote_ident(current_user)::regrole))
      select case when needed <= allowed or '${DATABASE_POOLER}' <> 'none' then 'ok' else 'problem' end as state,
        format('POOL_SIZE is ${POOL_SIZE}: processes, %s, use up to %s connections, of %s that the server allows',
          processes, needed, allowed) as finding,
        'lower POOL_SIZE, or raise the limit (max_connections, connection limit)' as advice
      from bounds`,
    // A commit waits without a time limit for a missing standby. Waits of other users' sessions are hidden.
    standbys: `
      select case when connected >= needed and waiting = 0 then 'ok' else 'problem' end as state,
        format('synchronous_standby_names is %s: commits wait for %s of these standbys; connected: %s; '
          'sessions that wait, as far as this user sees: %s', names, needed, connected, waiting) as finding,
        'start the standby, or take its name out (runbook: a synchronous standby is missing)' as advice
      from current_setting('synchronous_standby_names') as names, lateral (
        select coalesce(substring(names from '([0-9]+) *[(]')::int, 1) as needed,
          (select count(*) from pg_stat_activity where wait_event = 'SyncRep') as waiting,
          (select count(*) from pg_stat_replication
            where names like '%*%' or strpos(lower(names), lower(application_name)) > 0) as connected) as counted
      where names <> '' and current_setting('synchronous_commit') not in ('off', 'local')`,
    // Such a transaction belongs to no session, and keeps its locks until it is ended, also across a restart.
    'prepared transactions': `
      select 'problem' as state,
        format('a prepared transaction of "%s" holds locks on our tables since %s', owner, prepared) as finding,
        format('unless its program still ends it, as %s or a superuser: rollback prepared %L', owner, gid) as advice
      from pg_prepared_xacts where database = current_database() and exists (
        select from pg_locks as own join pg_locks as held using (virtualtransaction)
          join pg_class on pg_class.oid = held.relation and relnamespace = to_regnamespace('campaign_mirror')
        where own.transactionid = transaction and own.granted)`,
  },
  doctor: {
    // Beyond 2 s, it is hard to compare the log with the history.
    clock: `
      select case when difference <= 2 then 'ok' else 'warning' end as state,
        format('the clocks of this machine and of the server are %s apart', case
          when difference < 120 then round(difference, 1) || ' s'
          when difference < 7200 then round(difference / 60) || ' minutes'
          else round(difference / 3600) || ' hours' end) as finding,
        'set both by NTP: keys expire by the server''s, the log has this machine''s' as advice
      from (select abs(extract(epoch from clock_timestamp()) - ${Date.now() / 1_000}) as difference) as compared`,
    // A standby passes all other checks.
    writes: `
      select 'problem' as state, 'this server takes no writes: ' || why as finding, '${namePrimary}' || help as advice
      from (values (true, 'it is a standby', ''), (false, 'it is set to read only (default_transaction_read_only)',
        ', or unset it for the role, the database or the server')) as reasons (standby, why, help)
      where current_setting('transaction_read_only') = 'on' and standby = pg_is_in_recovery()`,
    // It reads all mirrors; the service has no right to do so.
    mirrors: `
      select 'problem' as state, format('mirrors not as they must be: %s, of the campaigns %s', max(total),
          string_agg(format('%s (%s)', campaign_id, fault), ', ')) as finding,
        'an address: set another with \`./campaign-mirror mirror set\`; an owner or a flag: as the owner of the '
        'schema, \`update campaign_mirror.mirrors set owner_id = campaigns.owner_id, is_default = campaigns.is_default '
        'from campaign_mirror.campaigns where campaigns.id = campaign_id\`; no campaign: delete the mirror' as advice
      from (${store.invalidMirrorsText}) as faults having count(*) > 0`,
    // A pooler drops the service's parameters: a statement could run for ever, or fail because a row has changed.
    parameters: `
      select case name when 'statement_timeout' then 'warning' else 'problem' end as state,
        format('%s is %s, and a pooler passes no other value on', name, setting) as finding,
        format('alter role %I set %I = %L', current_user, name, needed) as advice
      from pg_settings join (values ('statement_timeout', '${STATEMENT_TIMEOUT}'),
        ('default_transaction_isolation', 'read committed')) as by_role (name, needed) using (name)
      where '${DATABASE_POOLER}' <> 'none' and case name when 'statement_timeout' then setting = '0' and needed <> '0'
        else setting <> needed end
      order by name`,
    // More people may read the server's log than the tables. These settings keep callers' values out of it.
    'server log': `
      select 'warning' as state, 'not as ops/roles.sql sets it as a superuser: '
          || string_agg(format('%s is %s', name, setting), ', ' order by name) as finding,
        format('as a superuser: %s; the log can show addresses of mirrors and hashes of keys', string_agg(
          format('\`alter database %I set %I = %L\`', current_database(), name, needed), ', ' order by name)) as advice
      from pg_settings join (values ('log_error_verbosity', 'terse'), ('log_parameter_max_length', '0'))
        as ours (name, needed) using (name)
      where setting <> needed having count(*) > 0`,
    // By default, PUBLIC may execute these functions, which write to disk without a limit.
    'rights of everybody': `
      select 'warning' as state, 'every role may fill the disk' as finding,
        format('as a superuser: \`revoke execute on function %s from public\`',
          string_agg(oid::regprocedure::text, ', ' order by oid)) as advice
      from pg_proc where has_function_privilege('public', oid, 'execute')
        and proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message') having count(*) > 0`,
    // Without these, a change that was answered with 200 does not survive a power loss.
    durability: `
      select 'warning' as state, 'off: ' || string_agg(name, ', ' order by name) as finding,
        'switch on what is off: a loss of power may undo changes that were answered with 200' as advice
      from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      having count(*) > 0`,
  },
});
