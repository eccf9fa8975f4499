import type { Pool } from 'pg';
import { portFault } from './database-faults.ts';
import { migrations } from './migrations.ts';

/** What says that there is no such table or schema: then nothing was applied. */
const notThere = new Set(['42P01', '3F000']);

/** The names of the migrations that the schema still needs, in their order. @throws Unavailable, or the driver's 42501 where we may not know */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const applied = new Set<string>();
  try {
    const { rows } = await pool.query<{ name: string }>('select name from campaign_mirror.migrations');
    for (const { name } of rows) applied.add(name);
  } catch (error) {
    if (!notThere.has((error as { code?: string }).code ?? '')) throw portFault(error);
  }
  return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
}
