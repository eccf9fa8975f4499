export { type Database, openDatabase } from './connection/database.ts';
export { type Migrating, migrate } from './migration/migrate.ts';
export { PostgresAccessKeys } from './operator/access-keys.ts';
export { PostgresSettings } from './operator/campaign-settings.ts';
export { PostgresDemonstration } from './operator/demonstration.ts';
export { migrations } from './schema/migrations.ts';
/** What does without MikroORM has an entry of its own: whoever takes no more from there is spared its loading. */
export * from './sql.ts';
