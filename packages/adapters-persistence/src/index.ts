export {
  type Database,
  type DatabaseAddress,
  defaultPoolLimits,
  openDatabase,
  type PoolLimits,
} from './database.ts';
export { isDatabaseAway } from './database-faults.ts';
export { grants, missingRightsSql } from './grants.ts';
export { InMemoryAccessKeys } from './in-memory-access-keys.ts';
export { InMemoryCampaigns } from './in-memory-campaigns.ts';
export { InMemorySettings } from './in-memory-settings.ts';
export { type HistoryRow, InMemoryStore } from './in-memory-store.ts';
export { keyHash } from './key-hash.ts';
export { migrate, oldestServerVersion, serverVersion } from './migrate.ts';
export { migrations } from './migrations.ts';
export { pendingMigrations } from './pending-migrations.ts';
export { PostgresAccessKeys } from './postgres-access-keys.ts';
export { PostgresCampaigns, setMirrorText } from './postgres-campaigns.ts';
export { PostgresDemonstration } from './postgres-demonstration.ts';
export { PostgresIdentity } from './postgres-identity.ts';
export { PostgresSettings } from './postgres-settings.ts';
export { type Role, roles } from './roles.ts';
export { Statements } from './statements.ts';
