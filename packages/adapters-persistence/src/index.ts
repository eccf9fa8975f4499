export { type Database, openDatabase } from './connection/database.ts';
export { isDatabaseAway } from './connection/database-faults.ts';
export { type DatabaseAddress, defaultPoolLimits, type PoolLimits } from './connection/pool.ts';
export { type HotPathOptions, type OpenHotPath, openHotPath } from './hot-path/open-hot-path.ts';
export type { HotPathObserver } from './hot-path/statements.ts';
export { type Migrated, type Migrating, migrate } from './migration/migrate.ts';
export { PostgresAccessKeys } from './operator/access-keys.ts';
export { PostgresSettings } from './operator/campaign-settings.ts';
export { schema } from './schema/schema.ts';
