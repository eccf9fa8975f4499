import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { migrationNames } from '../../../packages/adapters-persistence/src/schema/migration-names.ts';
import { emptyDatabase, type TestDatabase } from './database-server.ts';

/** A database as an earlier version left it, our first by default: to be brought up to date. */
export async function earlierDatabase(last: string = migrationNames[0]): Promise<TestDatabase> {
  const database = await emptyDatabase('owner');
  const { orm, close } = await openDatabase(database.address('owner'));
  await orm.migrator.up({ to: last });
  await close();
  return database;
}

/** The names of the migrations that were applied, in their order. */
export async function applied({ admin }: TestDatabase): Promise<string[]> {
  const { rows } = await admin.query('select name from campaign_mirror.migrations order by id');
  return rows.map(({ name }) => name);
}
