export { postgresCampaignImport } from './bulk/campaign-import.ts';
export { copyDatabase, filledTable } from './bulk/copy-database.ts';
export { codeOf, isDatabaseAway } from './connection/database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe } from './connection/database-probe.ts';
export { watchLockHolders } from './connection/lock-holders.ts';
export {
  type DatabaseAddress,
  defaultPoolLimits,
  type OpenPool,
  oldestServerVersion,
  openPool,
  type PoolLimits,
  UnfitDatabase,
} from './connection/pool.ts';
export { withTimeLimit } from './connection/stoppable.ts';
export { statementNames } from './hot-path/batches.ts';
export type { BatchKind, HotPathObserver } from './hot-path/observer.ts';
export { type OpenHotPath, openHotPath } from './hot-path/open-hot-path.ts';
export { type CreatedRole, createRoles, type RolesCreation } from './migration/create-roles.ts';
export { grantedRights, type Right, rightsOf } from './migration/granted-rights.ts';
export { isMigrated, type MigrationState, migrationStates } from './migration/migration-states.ts';
export { postgresCampaignExport, postgresCampaignRecords } from './operator/campaign-records.ts';
export { allowHost, deniedHosts, denyHosts } from './operator/denied-hosts.ts';
export { postgresChangeFeed } from './operator/follow-changes.ts';
export {
  postgresAudit,
  postgresHistoryPruning,
  postgresMirrorHistory,
} from './operator/history-and-audit.ts';
export { postgresMirrorMoves, postgresOperatorMirrors } from './operator/operator-mirrors.ts';
export {
  type EnforcementFault,
  enforcementFaults,
  type MirrorFault,
  mirrorFaults,
} from './schema/enforced.ts';
export { type Role, revokeLargeObjects, roles } from './schema/grants.ts';
export { migrationNames } from './schema/migrations.ts';
export { campaignsOutside, type NumberRange, type Numbers, numbersOf } from './schema/numbers.ts';
export { schema } from './schema/tables.ts';
