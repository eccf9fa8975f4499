import { oldestServerVersion, serverVersion } from '@campaign-mirror/adapters-persistence/sql';
import type { Pool } from 'pg';
import { poolBudget } from '../database/pool-budget.ts';
import { takesNoWrites } from '../database/start-faults.ts';
import { type Finding, ok, problem, warning } from './findings.ts';

/** The newest version that the tests run on. */
const newestTried = 18;

export async function checkVersion(pool: Pool): Promise<Finding> {
  const version = await serverVersion(pool);
  const says = `the server is PostgreSQL ${version}`;
  if (version < oldestServerVersion) return problem('version', says, `use ${oldestServerVersion} or newer`);
  if (version > newestTried) {
    return warning('version', says, `this version was tested on ${oldestServerVersion} to ${newestTried}`);
  }
  return ok('version', says);
}

/** Whether the database can store every name and address. */
export async function checkEncoding(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query("select current_setting('server_encoding') as encoding");
  const { encoding } = rows[0];
  if (encoding === 'UTF8') return ok('encoding', 'the database is in UTF8');
  return problem('encoding', `the database is in ${encoding}`, 'make one with encoding UTF8');
}

/** Whether the service and the commands can write: a standby passes all other checks. */
export async function checkWrites(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query(
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only",
  );
  const { standby, read_only } = rows[0];
  if (!standby && !read_only) return ok('writes', 'this server takes writes');
  const why = standby ? 'it is a standby' : 'it is set to read only (default_transaction_read_only)';
  return problem('writes', `this server takes no writes: ${why}`, takesNoWrites.remedy);
}

const names = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Whether a change answered with 200 survives a power loss. */
export async function checkDurability(pool: Pool): Promise<Finding> {
  const text = "select name from pg_settings where name = any($1) and setting = 'off' order by name";
  const { rows } = await pool.query<{ name: string }>(text, [names]);
  if (rows.length === 0) return ok('durability', `${names.join(', ')} are not off`);
  const off = rows.map(({ name }) => name).join(', ');
  const advice = 'switch on what is off: a loss of power may undo changes that were answered with 200';
  return warning('durability', `off: ${off}`, advice);
}

/** In milliseconds: with a larger difference, the log and the history are hard to compare. */
const tolerated = 2_000;

/** The machine's clock compared with the server's, which decides when keys expire and dates the history. */
export async function checkClock(pool: Pool, now: () => number = Date.now): Promise<Finding> {
  const asked = now();
  const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as time';
  const { rows } = await pool.query<{ time: number }>(text);
  const answered = now();
  const apart = (rows[0]?.time ?? Number.NaN) - (asked + answered) / 2;
  const says = `the clocks of this machine and of the server are ${(Math.abs(apart) / 1000).toFixed(1)} s apart`;
  if (Math.abs(apart) <= tolerated + (answered - asked) / 2) return ok('clock', says);
  return warning('clock', says, "set both by NTP: keys expire by the server's, the log tells this machine's");
}

/** Whether the service's connections fit into the limits of the server, the database and the user. */
export async function checkPool(pool: Pool, size: number): Promise<Finding> {
  const budget = await poolBudget(pool, size);
  if (budget.problem !== undefined) return problem('pool', budget.says, budget.problem);
  if (budget.warning !== undefined) return warning('pool', budget.says, budget.warning);
  return ok('pool', budget.says);
}
