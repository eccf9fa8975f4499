import type { Timestamp } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import { isAbsent } from '../connection/database-faults.ts';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { migrationNames, tableNames } from '../schema/schema.ts';
import { timestampText } from '../schema/times.ts';

/** A migration, and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** Unknown: another version applied it, a newer one if those of this version are applied. */
  readonly state: 'applied' | 'pending' | 'unknown';
  readonly appliedAt: Timestamp | null;
}

/**
 * Every migration of this version in order, then those of others. Every role of the schema may read the names; the
 * times only the operator and the owner: without `times` they are null.
 * @throws Unavailable, or the driver's 42501 if the user may not read them
 */
export async function migrationStates(
  database: Pool | ClientBase,
  { times = false } = {},
): Promise<MigrationState[]> {
  const time = times ? timestampText('executed_at') : 'null';
  const text = `select name, ${time} as at from campaign_mirror.migrations order by name`;
  const rows = await rowsOf<{ name: string; at: Timestamp | null }>(database, text).catch((error) => {
    if (!isAbsent(error)) throw error;
    return [];
  });
  const applied = new Map(rows.map((row) => [row.name, row.at]));
  const known = migrationNames.map((name): MigrationState => {
    const appliedAt = applied.get(name) ?? null;
    return { name, state: applied.delete(name) ? 'applied' : 'pending', appliedAt };
  });
  const others = [...applied].map(([name, appliedAt]) => ({ name, state: 'unknown' as const, appliedAt }));
  return [...known, ...others];
}

/** Whether every migration of this version was applied. @throws as `migrationStates` */
export async function isMigrated(database: Pool | ClientBase): Promise<boolean> {
  return (await migrationStates(database)).every(({ state }) => state !== 'pending');
}

const emptyText = `
  select ${tableNames.map((table) => `not exists (select from campaign_mirror.${table})`).join(' and ')} as empty`;

/** Whether there is no row, and never was one: history and audit outlive what they describe. @throws Unavailable */
export async function isEmpty(pool: Pool): Promise<boolean> {
  return (await rowOf<{ empty: boolean }>(pool, emptyText)).empty;
}
