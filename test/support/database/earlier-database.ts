import { earlierNames } from '../../../packages/adapters-persistence/src/schema/migration-names.ts';
import { freshDatabase, type TestDatabase } from './database-server.ts';

/** A database as a version before 1.0.0 left it: what is there has the same form, and other names. */
export async function earlierDatabase(names: readonly string[] = earlierNames): Promise<TestDatabase> {
  const database = await freshDatabase();
  await database.admin.query('drop view campaign_mirror.recent_moves');
  await database.admin.query('delete from campaign_mirror.migrations');
  await database.admin.query('insert into campaign_mirror.migrations (name) select unnest($1::text[])', [
    names,
  ]);
  return database;
}

/** The same, and what brings it up to date changes a table, as a migration to come will. */
export async function databaseToChange(): Promise<TestDatabase> {
  const database = await earlierDatabase();
  await database.admin.query(`
    create function public.change_a_table() returns trigger language plpgsql as $$
      begin alter table campaign_mirror.access_keys add column changed boolean; return null; end
    $$;
    create trigger change_a_table after insert on campaign_mirror.migrations
      for each row when (new.name = '0001-schema') execute function public.change_a_table()`);
  return database;
}

/** Whether that table was changed, and our migration is recorded: both, or neither. */
export async function isChanged({ admin }: TestDatabase): Promise<boolean> {
  const { rows } = await admin.query(`
    select exists (select from campaign_mirror.migrations where name = '0001-schema') as recorded, exists (
      select from pg_attribute where attrelid = 'campaign_mirror.access_keys'::regclass and attname = 'changed') as changed`);
  if (rows[0].recorded !== rows[0].changed) throw new Error('the migration was done in part');
  return rows[0].changed;
}
