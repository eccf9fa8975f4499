import type { Pool } from 'pg';
import { takesNoWrites } from '../database/start-faults.ts';
import { type Finding, ok, problem } from './findings.ts';

const text = `
  select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only`;

/** Whether the service and the commands can write: a standby passes all other checks. */
export async function checkWrites(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query(text);
  const { standby, read_only } = rows[0];
  if (!standby && !read_only) return ok('writes', 'this server takes writes');
  const why = standby ? 'it is a standby' : 'it is set to read only (default_transaction_read_only)';
  return problem('writes', `this server takes no writes: ${why}`, takesNoWrites.remedy);
}
