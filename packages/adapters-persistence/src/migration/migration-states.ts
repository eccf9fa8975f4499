import type { Timestamp } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import { isAbsent } from '../connection/database-faults.ts';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { migrationNames, missingText, tableNames } from '../schema/schema.ts';
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

/** For an operator who has a database of a version before the first release. */
export const ofAnEarlierTrial =
  'the schema campaign_mirror was made by an earlier trial, which this version cannot migrate; nothing was changed. ' +
  'Take its campaigns along: export them with the version that made it, import them into an empty database, ' +
  'issue new keys';

/** The database cannot be used as it is. The message is for the operator. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase';
}

/** Whether a version before the first release applied migrations, which are not those of any later version. */
export const isOfAnEarlierTrial = (applied: readonly string[]) =>
  applied.length > 0 && !applied.includes(migrationNames[0] as string);

/**
 * What is missing, disabled or of another role in a schema with every migration of this version, such as `the trigger
 * take_facts on mirrors is disabled`. @throws Unavailable
 */
export async function missingParts(database: Pool | ClientBase): Promise<string[]> {
  const rows = await rowsOf<{ finding: string }>(database, missingText);
  return rows.map(({ finding }) => finding);
}

const emptyText = `
  select ${tableNames.map((table) => `not exists (select from campaign_mirror.${table})`).join(' and ')} as empty`;

/** Whether there is no row, and never was one: history and audit outlive what they describe. @throws Unavailable */
export async function isEmpty(pool: Pool): Promise<boolean> {
  return (await rowOf<{ empty: boolean }>(pool, emptyText)).empty;
}
