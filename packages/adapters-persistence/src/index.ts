export { type Database, openDatabase } from './connection/database.ts';
export { type Migrating, migrate } from './migration/migrate.ts';
export { PostgresAccessKeys } from './operator/access-keys.ts';
export { PostgresSettings } from './operator/campaign-settings.ts';
// Code that works without MikroORM has its own entry point, which does not load it.
export * from './sql.ts';
