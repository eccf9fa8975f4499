import type { Pool } from 'pg';
import { type Finding, ok, problem } from './findings.ts';

/** Whether the database can store every name and address. */
export async function checkEncoding(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query("select current_setting('server_encoding') as encoding");
  const { encoding } = rows[0];
  if (encoding === 'UTF8') return ok('encoding', 'the database is in UTF8');
  return problem('encoding', `the database is in ${encoding}`, 'make one with encoding UTF8');
}
