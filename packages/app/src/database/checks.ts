import {
  codeOf,
  heldRights,
  migrationStates,
  missingRightsSql,
  oldestServerVersion,
  rightsOf,
  roles,
  serverVersion,
  temporary,
} from '@campaign-mirror/adapters-persistence/sql';
import type { ClientBase, Pool } from 'pg';
import type { Settings } from '../settings/settings.ts';
import { namePrimary } from './connection-advice.ts';

/** What a check has found, and what to do about it: null for nothing. */
export interface Result {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
}

export const ok = (finding: string): Result => ({ state: 'ok', finding, advice: null });
export const warning = (finding: string, advice: string): Result => ({ state: 'warning', finding, advice });
export const problem = (finding: string, advice: string): Result => ({ state: 'problem', finding, advice });

type Database = Pool | ClientBase;

/** A check of a database that answers. All run in `doctor`. */
export interface Check {
  readonly name: string;
  /** A problem that it finds stops a start of the service. */
  readonly stops?: true;
  /** Anything else that it finds is logged at a start. */
  readonly warns?: true;
  /** It is about the user: `doctor` makes it as each user that the parts connect as. */
  readonly ofUser?: true;
  /** `purpose`: what the user is for; otherwise its rights decide. @throws what the driver throws, or Unavailable */
  ask(database: Database, settings: Settings, purpose?: 'service'): Promise<Result | readonly Result[]>;
}

/** The newest version that the tests run on. */
const newestTried = 18;
/** A difference of the clocks, in milliseconds, above which the log and the history are hard to compare. */
const toleratedDifference = 2_000;
/** Without these, a change answered with 200 does not survive a power loss. */
const durable = ['fsync', 'full_page_writes', 'synchronous_commit'];

const asOwner = '`./campaign-mirror migrate` as the owner of the schema';

export const checks: readonly Check[] = [
  {
    name: 'version',
    stops: true,
    async ask(database) {
      const version = await serverVersion(database);
      const says = `the server is PostgreSQL ${version}`;
      if (version < oldestServerVersion) return problem(says, `use ${oldestServerVersion} or newer`);
      if (version <= newestTried) return ok(says);
      return warning(says, `this version was tested on ${oldestServerVersion} to ${newestTried}`);
    },
  },
  {
    // In another one, some values of callers could not be stored, and would fail others in the same statement.
    name: 'encoding',
    stops: true,
    async ask(database) {
      const { encoding } = await row(database, "select current_setting('server_encoding') as encoding");
      if (encoding === 'UTF8') return ok('the database is in UTF8');
      return problem(`the database is in ${encoding}`, 'make one with encoding UTF8');
    },
  },
  {
    // A standby passes all other checks.
    name: 'writes',
    async ask(database) {
      const text = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only`;
      const { standby, read_only } = await row(database, text);
      if (!standby && !read_only) return ok('this server takes writes');
      const why = standby ? 'it is a standby' : 'it is set to read only (default_transaction_read_only)';
      return problem(`this server takes no writes: ${why}`, namePrimary);
    },
  },
  { name: 'migrations', stops: true, ask: askMigrations },
  { name: 'role', warns: true, ofUser: true, ask: askRole },
  { name: 'rights', stops: true, warns: true, ofUser: true, ask: askRights },
  { name: 'pool', warns: true, ask: askPool },
  {
    name: 'durability',
    async ask(database) {
      const text =
        "select string_agg(name, ', ' order by name) as off from pg_settings where name = any($1) and setting = 'off'";
      const { off } = await row(database, text, [durable]);
      if (off === null) return ok(`${durable.join(', ')} are not off`);
      const advice = 'switch on what is off: a loss of power may undo changes that were answered with 200';
      return warning(`off: ${off}`, advice);
    },
  },
  { name: 'clock', ask: (database) => askClock(database) },
];

async function askMigrations(database: Database): Promise<Result> {
  let states: Awaited<ReturnType<typeof migrationStates>>;
  try {
    states = await migrationStates(database);
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    const advice = 'run `./campaign-mirror doctor` as the operator, too';
    return warning('this user may not know which were applied', advice);
  }
  const named = (wanted: string) =>
    states.flatMap(({ state, name }) => (state === wanted ? [name] : [])).join(', ');
  const [pending, unknown] = [named('pending'), named('unknown')];
  if (pending) return problem(`pending: ${pending}`, `run ${asOwner}`);
  if (unknown)
    return warning(`applied by a newer version: ${unknown}`, 'run that version, here and for the service');
  return ok(`all ${states.length} are applied`);
}

/** The current user, and its powers beyond rights on the contents of a database. */
const userText = `
  select rolname::text as name, rolsuper as superuser, coalesce(pg_has_role(nspowner, 'usage'), false) as owner,
    array_remove(array[case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as powers
  from pg_roles left join pg_namespace on nspname = 'campaign_mirror' where rolname = current_user`;

async function askRole(database: Database): Promise<Result[]> {
  const { name, superuser, owner, powers } = await row(database, userText);
  const who = `the user ${JSON.stringify(name)}`;
  const found: Result[] = [];
  if (powers.length > 0) {
    const advice = '`./campaign-mirror roles create` makes roles of least privilege: use those';
    found.push(warning(`${who} has more power than is needed: ${powers.join(', ')}`, advice));
  }
  if (owner && !superuser) {
    const advice =
      'use it for `./campaign-mirror migrate` only, and start the service as campaign_mirror_service';
    found.push(warning(`${who} owns the schema, and so may change all that is in it`, advice));
  }
  return found.length > 0 ? found : [ok(`${who} has no undue power`)];
}

/** SQLSTATEs of a missing schema, table or column. */
const notThere = new Set(['3F000', '42P01', '42703']);

/** The rights on the schema's objects: those that the user lacks, and those beyond its needs. */
async function askRights(database: Database, _: Settings, purpose?: 'service'): Promise<readonly Result[]> {
  const { name, superuser, owner } = await row(database, userText);
  const who = `the user ${JSON.stringify(name)}`;
  if (superuser || owner) return [ok(`${who} may do all that service and operator do`)];
  if (name === roles.redirector && !purpose)
    return [problem(`${who} is a redirector's`, "use the operator's, or the service's")];
  try {
    const rights = await heldRights(database);
    const asOperator = rightsOf('operator', rights);
    const isOperator = name === roles.operator || (name !== roles.service && asOperator.missing.length === 0);
    if (isOperator && !purpose) return judged(who, 'operator', asOperator.missing, asOperator.beyond);
    const { rows } = await (database as Pool).query<{ right_needed: string }>(missingRightsSql);
    const missing = rows.map((one) => one.right_needed);
    return judged(who, 'service', missing, rightsOf('service', rights).beyond);
  } catch (error) {
    if (!notThere.has(codeOf(error))) throw error;
    return [problem('the schema is not at the version that this program needs', `run ${asOwner}`)];
  }
}

function judged(
  who: string,
  purpose: 'operator' | 'service',
  missing: readonly string[],
  beyond: readonly string[],
) {
  const found: Result[] = [];
  if (missing.length > 0) {
    // The schema's owner cannot grant the right on the database.
    const create = missing.includes(temporary)
      ? ' and `./campaign-mirror roles create` as the owner of the database'
      : '';
    const advice = `run ${asOwner}${create}, and use ${roles[purpose]} or a member of it`;
    found.push(problem(`${who} lacks what the ${purpose} needs: ${some(missing)}`, advice));
  }
  if (beyond.length > 0) {
    const says = `${who} may do more than the ${purpose} needs: ${some(beyond)}`;
    found.push(warning(says, `revoke it, or use ${roles[purpose]}`));
  }
  return found.length > 0 ? found : [ok(`${who} may do what the ${purpose} does, no more`)];
}

/** The first few names of many, for one line. */
function some(names: readonly string[]): string {
  const more = names.length > 4 ? ` and ${names.length - 4} more` : '';
  return `${names.slice(0, 4).join(', ')}${more}`;
}

/**
 * The limit on the connections of this user to this database, and the room that others leave: each limit, of the
 * server, of the role and of the database, counts different connections. A session whose details are hidden from this
 * user counts all the same.
 */
const connectionsText = `
  select least(usable, of_role, of_database) as allowed, others,
    least(usable - others, of_role - others_of_role, of_database - others_of_database) as room
  from (
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as usable,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as of_role,
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as of_database
  ) as limits, (
    select count(*)::int as others, count(*) filter (where usename = current_user)::int as others_of_role,
      count(*) filter (where datname = current_database())::int as others_of_database
    from pg_stat_activity
    where datid is not null and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'
      and application_name not like 'campaign-mirror%'
  ) as others`;

/** Whether the service's connections fit into the limits of the server, the database and the user. */
async function askPool(database: Database, { POOL_SIZE, DATABASE_POOLER }: Settings) {
  // Behind a pooler, the server counts the pooler's connections.
  if (DATABASE_POOLER !== 'none') return [];
  const { allowed, others, room } = await row(database, connectionsText);
  const says = `POOL_SIZE is ${POOL_SIZE}, of ${allowed} connections that the server allows; others have ${others}`;
  if (POOL_SIZE > allowed) {
    const limit = 'raise the limit (max_connections, connection limit)';
    return problem(says, `lower POOL_SIZE to ${allowed} for all services together, or ${limit}`);
  }
  if (POOL_SIZE <= room) return ok(says);
  return warning(says, 'lower POOL_SIZE, raise max_connections, or let the others have fewer');
}

/** The machine's clock compared with the server's, which decides when keys expire and dates the history. */
export async function askClock(database: Database, now: () => number = Date.now): Promise<Result> {
  const asked = now();
  const { time } = await row(database, 'select extract(epoch from clock_timestamp())::float8 * 1000 as time');
  const answered = now();
  const apart = Math.abs(time - (asked + answered) / 2);
  const says = `the clocks of this machine and of the server are ${(apart / 1000).toFixed(1)} s apart`;
  if (apart <= toleratedDifference + (answered - asked) / 2) return ok(says);
  return warning(says, "set both by NTP: keys expire by the server's, the log tells this machine's");
}

/** The only row of a query. */
async function row(database: Database, text: string, values: unknown[] = []) {
  return (await (database as Pool).query(text, values)).rows[0];
}
