export { isDatabaseAway } from './connection/database-faults.ts';
export { type Database, openDatabase } from './connection/open-database.ts';
export { type DatabaseAddress, defaultPoolLimits, type PoolLimits } from './connection/pool.ts';
export { type HotPathOptions, type OpenHotPath, openHotPath } from './hot-path/ports.ts';
export type { HotPathObserver } from './hot-path/run-statements.ts';
export { type Migrated, type Migrating, migrate } from './migration/migrate.ts';
export { PostgresSettings } from './operator/campaign-store.ts';
export { PostgresAccessKeys } from './operator/key-store.ts';
export { schema } from './schema/schema.ts';
