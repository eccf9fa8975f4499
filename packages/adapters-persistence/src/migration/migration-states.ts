import type { Timestamp } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
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

const recordText = `
  select name, ${timestampText('executed_at')} as at from campaign_mirror.migrations order by name`;

/**
 * Every migration of this version in order, then those of others.
 * @throws Unavailable, or the driver's 42501: only the operator and the owner may read all of the record
 */
export async function migrationStates(pool: Pool): Promise<MigrationState[]> {
  const rows = await rowsOf<{ name: string; at: Timestamp }>(pool, recordText).catch((error) => {
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
export async function isMigrated(pool: Pool): Promise<boolean> {
  return (await migrationStates(pool)).every(({ state }) => state !== 'pending');
}

const emptyText = `
  select ${tableNames.map((table) => `not exists (select from campaign_mirror.${table})`).join(' and ')} as empty`;

/** Whether there is no row, and never was one: history and audit outlive what they describe. @throws Unavailable */
export async function isEmpty(pool: Pool): Promise<boolean> {
  return (await rowOf<{ empty: boolean }>(pool, emptyText)).empty;
}
