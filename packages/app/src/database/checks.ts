import {
  grantedRights,
  oldestServerVersion,
  revokeLargeObjects,
  rightsOf,
  roles,
} from '@campaign-mirror/adapters-persistence/sql';
import { type Check, type CheckInput, durable, ok, problem, type Result, warning } from './check.ts';
import { namePrimary } from './connection-advice.ts';
import {
  checkDeniedHosts,
  checkEnforcement,
  checkMigrations,
  checkMirrors,
  checkSequences,
  checkTransactions,
} from './schema-checks.ts';

/** The newest version that the tests run on. */
const newestTestedVersion = 18;
/** The difference of the clocks, in seconds, above which the log and the history are hard to compare. */
const maxClockDifference = 2;
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
  { name: 'transactions', stops: true, warns: true, run: checkTransactions },
  { name: 'enforcement', stops: true, warns: true, run: checkEnforcement },
  { name: 'mirrors', run: checkMirrors },
  { name: 'denylist', warns: true, run: checkDeniedHosts },
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
  if (facts.large_objects) {
    const advice = `as a superuser, if no other application of this database needs them: ${revokeLargeObjects}`;
    results.push(warning(`${who} may make large objects, which can fill the disk`, advice));
  }
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
