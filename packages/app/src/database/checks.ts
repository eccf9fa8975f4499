import * as store from '@campaign-mirror/adapters-persistence/service';
import type { Pool } from 'pg';
import { type Check, type CheckInput, durable, ok, problem, type Result, warning } from './check.ts';
import { namePrimary } from './connection-advice.ts';
import * as schema from './schema-checks.ts';

/** The newest version that the tests run on. */
const newestTestedVersion = 18;
/** The difference of the clocks, in seconds, above which the log and the history are hard to compare. */
const maxClockDifference = 2;
/** Connections of a process besides its pool: its readiness, and the new one that this tries. */
const besidesPool = 2;

export const checks: readonly Check[] = [
  {
    name: 'version',
    stops: true,
    run({ facts: { version } }) {
      const finding = `the server is PostgreSQL ${version}`;
      if (version < store.oldestServerVersion)
        return problem(finding, `use ${store.oldestServerVersion} or newer`);
      if (version <= newestTestedVersion) return ok(finding);
      return warning(
        finding,
        `this version was tested on ${store.oldestServerVersion} to ${newestTestedVersion}`,
      );
    },
  },
  {
    // In another encoding, some values of callers could not be stored, and would fail others in the same statement.
    name: 'encoding',
    stops: true,
    run({ facts: { encoding } }) {
      if (encoding === 'UTF8') return ok('the database is in UTF8');
      const advice = "make one: create database NAME template template0 encoding 'UTF8' locale 'C'";
      return problem(`the database is in ${encoding}`, advice);
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
  { name: 'migrations', stops: true, warns: true, run: schema.checkMigrations },
  { name: 'schema', stops: true, warns: true, run: schema.checkSchema },
  { name: 'rights', stops: true, warns: true, run: checkRights },
  { name: 'sequences', stops: true, warns: true, run: schema.checkSequences },
  { name: 'transactions', stops: true, warns: true, run: schema.checkTransactions },
  { name: 'mirrors', run: schema.checkMirrors },
  {
    // Behind a pooler, the server counts the pooler's connections.
    name: 'pool',
    warns: true,
    run({ facts, settings: { POOL_SIZE, DATABASE_POOLER }, purpose }) {
      const { allowed, others, room, probes, pooled } = facts;
      // At the limit, a process may have got no connection for its readiness. One that starts has none yet.
      const serving = Math.max(probes, Math.ceil(pooled / POOL_SIZE));
      const count = purpose ? serving + 1 : Math.max(serving, 1);
      const needed = count * (POOL_SIZE + besidesPool);
      const finding = `POOL_SIZE is ${POOL_SIZE}: processes, ${count}, use up to ${needed} connections, of ${allowed} that the server allows; others have ${others}`;
      if (DATABASE_POOLER !== 'none' || needed <= Math.min(allowed, room)) return ok(finding);
      const advice =
        'lower POOL_SIZE, raise the limit (max_connections, connection limit), or spare connections';
      return needed > allowed ? problem(finding, advice) : warning(finding, advice);
    },
  },
  { name: 'standbys', warns: true, run: checkStandbys },
  { name: 'prepared transactions', warns: true, run: checkPrepared },
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
      return problem(
        `transactions of ${JSON.stringify(name)} are ${isolation} by default, a pooler passes no other level on, and no mirror is set in them`,
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

const standbysText = `
  select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as waits_for,
    array(select application_name from pg_stat_replication) as connected,
    (select count(*)::int from pg_stat_activity where wait_event = 'SyncRep') as waiting`;

/** A commit waits without a time limit for a standby that is away. Sessions of other users do not show what they wait for. */
async function checkStandbys({ database }: CheckInput): Promise<Result[]> {
  const [{ names, waits_for, connected, waiting }] = (await (database as Pool).query(standbysText)).rows;
  if (names === '' || ['off', 'local'].includes(waits_for)) return [];
  const [, needed = 1, list = names] = /^(?:first|any)?\s*(\d+)\s*\((.*)\)$/i.exec(names.trim()) ?? [];
  const named = list.split(',').map((name: string) => name.trim().replaceAll('"', '').toLowerCase());
  const isNamed = (name: string) => named.includes('*') || named.includes(name.toLowerCase());
  const confirming = connected.filter(isNamed).length;
  const finding = `commits wait for ${needed} of the standbys ${list} (synchronous_standby_names), of which ${confirming} are connected`;
  if (waiting === 0 && confirming >= needed) return [ok(finding)];
  const advice =
    'start the standby, or take its name out of synchronous_standby_names (runbook: a synchronous standby is missing)';
  return [problem(`${finding}; sessions that wait, as far as this user sees: ${waiting}`, advice)];
}

const preparedText = `
  select format('%L', gid) as gid, owner, prepared::text from pg_prepared_xacts
  where database = current_database() and exists (
    select from pg_locks as own join pg_locks as held using (virtualtransaction) join pg_class on pg_class.oid = held.relation
    where own.transactionid = transaction and own.granted and relnamespace = to_regnamespace('campaign_mirror'))`;

/** Nobody's session has such a transaction, which keeps its locks until somebody ends it, also across a restart. */
async function checkPrepared({ database }: CheckInput): Promise<Result[]> {
  const { rows } = await (database as Pool).query(preparedText);
  return rows.map(({ gid, owner, prepared }) =>
    problem(
      `a prepared transaction of ${JSON.stringify(owner)} holds locks on our tables since ${prepared}`,
      `unless its program still ends it, as ${owner} or a superuser: rollback prepared ${gid}`,
    ),
  );
}

/** Powers that the user does not need, and the rights that it lacks. */
async function checkRights({ facts, database, purpose }: CheckInput): Promise<Result[]> {
  const { name, superuser, owner, operator, powers, schema_owner } = facts;
  const who = `the user ${JSON.stringify(name)}`;
  const results: Result[] = [];
  if (powers.length > 0) {
    const advice = 'use a role of least privilege: ops/roles.sql creates them';
    results.push(warning(`${who} has more power than is needed: ${powers.join(', ')}`, advice));
  }
  if (superuser) return results;
  if (facts.large_objects) {
    const advice =
      'if no other application of this database needs them, run ops/roles.sql in it as a superuser';
    results.push(warning(`${who} may make large objects, which can fill the disk`, advice));
  }
  // The check of migrations reports a missing schema.
  if (schema_owner === null) {
    if (facts.may_create) return results;
    const advice = `run ops/roles.sql in this database, then \`./campaign-mirror migrate\` as ${store.roles.owner}`;
    return [...results, problem(`${who} may not make the schema, which is not there`, advice)];
  }
  if (owner) {
    const advice = `use it for \`./campaign-mirror migrate\` only, and start the service as ${store.roles.service}`;
    return [...results, warning(`${who} owns the schema, and so may change all that is in it`, advice)];
  }
  const needed = purpose ?? (operator ? 'operator' : 'service');
  const { rows } = await (database as Pool).query<{ lacking: string }>(store.lackingRightsText, [needed]);
  if (rows.length > 0) {
    const finding = `${who} lacks what the ${needed} needs: ${rows.map(({ lacking }) => lacking).join(', ')}`;
    const advice =
      `run ops/roles.sql in this database, then \`./campaign-mirror migrate\` as the owner of the schema, ` +
      `${schema_owner}; use ${store.roles[needed]} or a member of it`;
    results.push(problem(finding, advice));
  }
  return results.length > 0 ? results : [ok(`${who} may do what the ${needed} does`)];
}
