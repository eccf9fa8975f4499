import { earlierNames } from '../../packages/adapters-persistence/src/schema/migration-names.ts';
import type { TestDatabase } from '../support/database/database-server.ts';

/** Makes it as a version before 1.0.0 left it: what is there has the same form, and other names. */
export async function unmigrated(
  database: TestDatabase,
  names: readonly string[] = earlierNames,
): Promise<TestDatabase> {
  await database.admin.query(
    'drop view campaign_mirror.recent_moves; delete from campaign_mirror.migrations',
  );
  await database.admin.query('insert into campaign_mirror.migrations (name) select unnest($1::text[])', [
    names,
  ]);
  return database;
}
