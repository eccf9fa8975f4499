import type { Timestamp } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import { codeOf, portFault } from '../connection/database-faults.ts';
import { migrationNames } from '../schema/migration-names.ts';
import { timestampText } from '../schema/schema.ts';

/** SQLSTATEs of a missing table or schema: then no migration was applied. */
const notThere = new Set(['42P01', '3F000']);

/** A migration, and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** Unknown: applied by a newer version. */
  readonly state: 'applied' | 'pending' | 'unknown';
  readonly appliedAt: Timestamp | null;
}

/**
 * Every migration of this version in order, then those that it does not know.
 * @throws Unavailable, or the driver's 42501 where the user may not read them
 */
export async function migrationStates(database: Pool | ClientBase): Promise<MigrationState[]> {
  const applied = new Map<string, Timestamp>();
  try {
    const { rows } = await database.query<{ name: string; at: Timestamp }>(
      `select name, ${timestampText('executed_at')} as at from campaign_mirror.migrations order by id`,
    );
    for (const { name, at } of rows) applied.set(name, at);
  } catch (error) {
    if (!notThere.has(codeOf(error))) throw portFault(error);
  }
  const known = migrationNames.map((name): MigrationState => {
    const appliedAt = applied.get(name) ?? null;
    applied.delete(name);
    return { name, state: appliedAt === null ? 'pending' : 'applied', appliedAt };
  });
  const newer = [...applied].map(([name, appliedAt]) => ({ name, state: 'unknown' as const, appliedAt }));
  return [...known, ...newer];
}

/** The names of the applied migrations, which every role of the schema may read. @throws as `migrationStates` does */
export async function appliedMigrations(database: Pool | ClientBase): Promise<string[]> {
  try {
    const { rows } = await database.query<{ name: string }>(
      'select name from campaign_mirror.migrations order by name',
    );
    return rows.map(({ name }) => name);
  } catch (error) {
    if (notThere.has(codeOf(error))) return [];
    throw portFault(error);
  }
}

/** The names of the pending migrations in order. @throws as `migrationStates` does */
export async function pendingMigrations(database: Pool | ClientBase): Promise<string[]> {
  const applied = new Set(await appliedMigrations(database));
  return migrationNames.filter((name) => !applied.has(name));
}
