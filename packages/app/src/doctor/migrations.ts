import { codeOf, migrationStates } from '@campaign-mirror/adapters-persistence/sql';
import type { Pool } from 'pg';
import { type Finding, ok, problem, warning } from './findings.ts';

/** Whether the schema is at this version. */
export async function checkMigrations(pool: Pool): Promise<Finding> {
  let states: Awaited<ReturnType<typeof migrationStates>>;
  try {
    states = await migrationStates(pool);
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    const advice = 'run `./campaign-mirror doctor` as the operator, too';
    return warning('migrations', 'this user may not know which were applied', advice);
  }
  const named = (wanted: string) => states.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [pending, unknown] = [named('pending'), named('unknown')];
  if (pending.length > 0) {
    const advice = 'run `./campaign-mirror migrate` as the owner of the schema';
    return problem('migrations', `pending: ${pending.join(', ')}`, advice);
  }
  if (unknown.length > 0) {
    const advice = 'run that version, here and for the service';
    return warning('migrations', `applied by a newer version: ${unknown.join(', ')}`, advice);
  }
  return ok('migrations', `all ${states.length} are applied`);
}
