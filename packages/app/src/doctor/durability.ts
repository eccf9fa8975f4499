import type { Pool } from 'pg';
import { type Finding, ok, warning } from './findings.ts';

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
