export { type Database, openDatabase } from './database.ts';
export { type Migrating, migrate } from './migrate.ts';
export { migrations } from './migrations.ts';
export { PostgresAccessKeys } from './postgres-access-keys.ts';
export { PostgresDemonstration } from './postgres-demonstration.ts';
export { PostgresSettings } from './postgres-settings.ts';
/** What does without MikroORM has an entry of its own: whoever takes no more from there is spared its loading. */
export * from './sql.ts';
