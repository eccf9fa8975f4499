import {
  codeOf,
  grantedRights,
  type MigrationState,
  migrationStates,
  oldestServerVersion,
  rightsOf,
  roles,
} from '@campaign-mirror/adapters-persistence/sql';
import type { ClientBase, Pool } from 'pg';
import type { Settings } from '../settings/settings.ts';
import { namePrimary, withoutRecord } from './connection-advice.ts';

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
  /** What the user of the database is for; if absent, its rights decide. */
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

/** The newest version that the tests run on. */
const newestTestedVersion = 18;
/** The difference of the clocks, in seconds, above which the log and the history are hard to compare. */
const maxClockDifference = 2;
/** Without these, a change answered with 200 does not survive a power loss. */
const durable = ['fsync', 'full_page_writes', 'synchronous_commit'];

/**
 * The server and its settings; the user, and its powers beyond rights on the contents of a database; how many connections
 * it may have, and how many others have. A connection whose details are hidden from this user counts as one of others.
 */
const factsText = `
  select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only,
    (select string_agg(name, ', ' order by name) from pg_settings where name = any($1) and setting = 'off') as off,
    current_setting('statement_timeout') = '0' as unlimited, current_setting('transaction_isolation') as isolation,
    extract(epoch from clock_timestamp())::float8 as time, rolname::text as name, rolsuper as superuser,
    coalesce(pg_has_role(nspowner, 'usage'), false) as owner, pg_get_userbyid(nspowner)::text as schema_owner,
    pg_get_userbyid(datdba)::text as database_owner, has_database_privilege(datname, 'create') as may_create,
    exists (select from pg_class where relnamespace = pg_namespace.oid and relname = 'mirrors') as has_tables,
    array_remove(array[case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as powers,
    least(usable, nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as allowed, others, usable - others as room
  from pg_database, pg_roles left join pg_namespace on nspname = 'campaign_mirror', (
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as usable) as server, (
    select count(*)::int as others from pg_stat_activity
    where datid is not null and usesysid is not null and application_name not like 'campaign-mirror%') as sessions
  where datname = current_database() and rolname = current_user`;

/** What most checks need, in one row. @throws what the driver throws */
export async function factsOf(database: Pool | ClientBase) {
  const askedAt = Date.now();
  const { rows } = await (database as Pool).query(factsText, [durable]);
  return { ...rows[0], clockDifference: Math.abs(rows[0].time - (askedAt + Date.now()) / 2_000) };
}

export const checks: readonly Check[] = [
  {
    name: 'version',
    stops: true,
    run({ facts: { version } }) {
      const finding = `the server is PostgreSQL ${version}`;
      if (version < oldestServerVersion) return problem(finding, `use ${oldestServerVersion} or newer`);
      if (version <= newestTestedVersion) return ok(finding);
      return warning(finding, `this version was tested on ${oldestServerVersion} to ${newestTestedVersion}`);
    },
  },
  {
    // In another encoding, some values of callers could not be stored, and would fail others in the same statement.
    name: 'encoding',
    stops: true,
    run({ facts: { encoding } }) {
      if (encoding === 'UTF8') return ok('the database is in UTF8');
      return problem(`the database is in ${encoding}`, 'make one with encoding UTF8');
    },
  },
  {
    // A standby passes all other checks.
    name: 'writes',
    run({ facts: { standby, read_only } }) {
      if (!standby && !read_only) return ok('this server takes writes');
      const why = standby ? 'it is a standby' : 'it is set to read only (default_transaction_read_only)';
      const advice = standby
        ? namePrimary
        : `${namePrimary}, or unset it for the role, the database or the server`;
      return problem(`this server takes no writes: ${why}`, advice);
    },
  },
  { name: 'migrations', stops: true, warns: true, run: checkMigrations },
  { name: 'rights', stops: true, warns: true, run: checkRights },
  { name: 'sequences', stops: true, warns: true, run: checkSequences },
  {
    // Behind a pooler, the server counts the pooler's connections.
    name: 'pool',
    warns: true,
    run({ facts: { allowed, others, room }, settings: { POOL_SIZE, DATABASE_POOLER } }) {
      const finding = `POOL_SIZE is ${POOL_SIZE}, of ${allowed} connections that the server allows; others have ${others}`;
      if (DATABASE_POOLER !== 'none' || POOL_SIZE <= Math.min(allowed, room)) return ok(finding);
      const advice =
        'lower POOL_SIZE, raise the limit (max_connections, connection limit), or spare connections';
      return POOL_SIZE > allowed ? problem(finding, advice) : warning(finding, advice);
    },
  },
  {
    // A pooler takes no time limit among the startup parameters: the role's own applies.
    name: 'statement timeout',
    run({ facts: { name, unlimited }, settings: { DATABASE_POOLER, STATEMENT_TIMEOUT } }) {
      if (DATABASE_POOLER === 'none' || STATEMENT_TIMEOUT === 0) return [];
      if (!unlimited) return ok('the role has a statement_timeout of its own');
      return warning(
        `the user ${JSON.stringify(name)} has no statement_timeout, and a pooler passes none on: a statement may run for ever`,
        `alter role ${name} set statement_timeout = ${STATEMENT_TIMEOUT}`,
      );
    },
  },
  {
    // At another level, a statement that waited for a row is ended instead of reading it again.
    name: 'isolation',
    run({ facts: { name, isolation } }) {
      if (isolation === 'read committed') return [];
      return warning(
        `transactions of ${JSON.stringify(name)} are ${isolation} by default, and a pooler passes no other level on`,
        `alter role ${name} set default_transaction_isolation = 'read committed'`,
      );
    },
  },
  {
    name: 'durability',
    run({ facts: { off } }) {
      if (off === null) return ok(`${durable.join(', ')} are not off`);
      const advice = 'switch on what is off: a loss of power may undo changes that were answered with 200';
      return warning(`off: ${off}`, advice);
    },
  },
  {
    name: 'clock',
    run({ facts: { clockDifference } }) {
      const finding = `the clocks of this machine and of the server are ${clockDifference.toFixed(1)} s apart`;
      if (clockDifference <= maxClockDifference) return ok(finding);
      return warning(finding, "set both by NTP: keys expire by the server's, the log has this machine's");
    },
  },
];

async function checkMigrations({ facts, database, purpose }: CheckInput): Promise<Result> {
  const states = await migrationStates(database).catch((error) => {
    if (codeOf(error) !== '42501') throw error;
  });
  if (!states) {
    const advice = 'run `./campaign-mirror doctor` as the operator, too';
    return warning('this user may not know which were applied', advice);
  }
  const namesOf = (wanted: MigrationState['state']) =>
    states.filter(({ state }) => state === wanted).map(({ name }) => name);
  const pending = namesOf('pending');
  const unknown = namesOf('unknown');
  if (pending.length === states.length && facts.has_tables)
    return problem('the tables are there, but no record of their migrations', withoutRecord);
  if (pending.length > 0) {
    // A service may start while another process migrates: it is ready afterwards.
    const report = purpose && states.length > pending.length ? warning : problem;
    const advice = 'run `./campaign-mirror migrate` as the owner of the schema';
    return report(`pending: ${pending.join(', ')}`, advice);
  }
  if (unknown.length === 0) return ok('none is pending');
  return warning(
    `applied by a newer version: ${unknown.join(', ')}`,
    'run that version, here and for the service',
  );
}

/** The service assigns the numbers of the history only: it works if the other sequences are behind. */
async function checkSequences({ database, purpose }: CheckInput): Promise<Result[]> {
  const text = 'select sequence, mended_by from campaign_mirror.sequences_behind';
  const { rows } = await (database as Pool).query(text).catch((error) => {
    // The view is missing, or may not be read: the checks of migrations and rights report that.
    if (!['42P01', '3F000', '42501'].includes(codeOf(error))) throw error;
    return { rows: [] };
  });
  return rows.map(({ sequence, mended_by }) => {
    const report = purpose && sequence !== 'mirror_history_id_seq' ? warning : problem;
    const finding = `the sequence ${sequence} is behind its table: numbers that it assigns are taken, or out of order`;
    return report(finding, `run as the owner of the schema: ${mended_by}`);
  });
}

/** What the user may do beyond what it needs, and what it lacks. */
async function checkRights({ facts, database, purpose }: CheckInput): Promise<Result[]> {
  const { name, superuser, owner, powers, schema_owner, database_owner } = facts;
  const who = `the user ${JSON.stringify(name)}`;
  const results: Result[] = [];
  if (powers.length > 0) {
    const advice = '`./campaign-mirror roles create` makes roles of least privilege: use those';
    results.push(warning(`${who} has more power than is needed: ${powers.join(', ')}`, advice));
  }
  if (superuser) return results;
  // The check of migrations reports a missing schema.
  if (schema_owner === null) {
    if (facts.may_create) return results;
    const advice = `run \`./campaign-mirror roles create\` as ${database_owner}, who owns the database, then \`./campaign-mirror migrate\` as ${roles.owner}`;
    return [...results, problem(`${who} may not make the schema, which is not there`, advice)];
  }
  if (owner) {
    const advice = `use it for \`./campaign-mirror migrate\` only, and start the service as ${roles.service}`;
    return [...results, warning(`${who} owns the schema, and so may change all that is in it`, advice)];
  }
  const rights = await grantedRights(database);
  const mayOperate = name !== roles.service && rightsOf('operator', rights).missing.length === 0;
  const needed = purpose ?? (mayOperate || name === roles.operator ? 'operator' : 'service');
  const { missing, beyond } = rightsOf(needed, rights);
  if (missing.length > 0) {
    const advice =
      `run \`./campaign-mirror migrate\` as the owner of the schema, ${schema_owner}, \`./campaign-mirror roles create\` as ` +
      `that of the database, ${database_owner}, if its right is missing, and use ${roles[needed]} or a member of it`;
    results.push(problem(`${who} lacks what the ${needed} needs: ${missing.join(', ')}`, advice));
  }
  if (beyond.length > 0) {
    const finding = `${who} may do more than the ${needed} needs: ${beyond.join(', ')}`;
    results.push(warning(finding, `revoke it, or use ${roles[needed]}`));
  }
  return results.length > 0 ? results : [ok(`${who} may do what the ${needed} does, no more`)];
}
