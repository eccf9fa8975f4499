export { postgresCampaignImport } from './bulk/campaign-import.ts';
export { type Database, openDatabase } from './connection/database.ts';
export { codeOf, isAbsent, isDatabaseAway, isForbidden } from './connection/database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe } from './connection/database-probe.ts';
export { watchLockHolders } from './connection/lock-holders.ts';
export {
  type DatabaseAddress,
  defaultPoolLimits,
  oldestServerVersion,
  type PoolLimits,
} from './connection/pool.ts';
export { withTimeLimit } from './connection/stoppable.ts';
export { type HotPathOptions, type OpenHotPath, openHotPath } from './hot-path/open-hot-path.ts';
export { type HotPathObserver, statementNames } from './hot-path/statements.ts';
export { type Migrating, migrate } from './migration/migrate.ts';
export * from './migration/migration-states.ts';
export { PostgresAccessKeys } from './operator/access-keys.ts';
export { postgresCampaignExport, postgresCampaignRecords } from './operator/campaign-records.ts';
export { PostgresSettings } from './operator/campaign-settings.ts';
export { postgresChangeFeed } from './operator/follow-changes.ts';
export {
  postgresAudit,
  postgresHistoryPruning,
  postgresMirrorHistory,
} from './operator/history-and-audit.ts';
export { postgresMirrorMoves, postgresOperatorMirrors } from './operator/operator-mirrors.ts';
export {
  lackingRightsText,
  migrationNames,
  mirrorFaultsText,
  type Role,
  roles,
  schema,
} from './schema/schema.ts';
