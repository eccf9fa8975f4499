export type { BackupTable, TableCounts } from './backup-format.ts';
export { BackupFault } from './backup-reader.ts';
export { type CreatedRole, createRoles, type RolesCreation } from './create-roles.ts';
export { isDatabaseAway, isHeld } from './database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe, type ProbeLimits } from './database-probe.ts';
export { EncodingFault } from './encoding.ts';
export type { TextRow, Value } from './extended-query.ts';
export { grants, missingRightsSql } from './grants.ts';
export { GroupCommit, type GroupCommitLimits, heldAtMost } from './group-commit.ts';
export { heldRights, type RightsFinding, rightsOf, temporary } from './held-rights.ts';
export type { HotPath } from './hot-path.ts';
export {
  type BatchKind,
  type Call,
  type HotPathObserver,
  silentHotPathObserver,
} from './hot-path-observer.ts';
export { keyHash } from './key-hash.ts';
export { KeyUses } from './key-uses.ts';
export { migrationNames } from './migration-names.ts';
export { type MigrationState, migrationStates, pendingMigrations } from './pending-migrations.ts';
export { type DatabaseAddress, defaultPoolLimits, type OpenPool, openPool, type PoolLimits } from './pool.ts';
export { PostgresAudit } from './postgres-audit.ts';
export { type BackupProgress, PostgresBackup } from './postgres-backup.ts';
export { PostgresCampaignExport } from './postgres-campaign-export.ts';
export { PostgresCampaignImport } from './postgres-campaign-import.ts';
export { PostgresCampaignRecords } from './postgres-campaign-records.ts';
export { PostgresCampaigns } from './postgres-campaigns.ts';
export { PostgresHistoryPruning } from './postgres-history-pruning.ts';
export { PostgresIdentity } from './postgres-identity.ts';
export { PostgresMirrorHistory } from './postgres-mirror-history.ts';
export { PostgresMirrorMoves } from './postgres-mirror-moves.ts';
export { PostgresOperatorMirrors } from './postgres-operator-mirrors.ts';
export { PostgresRestore, type RestoreOutcome } from './postgres-restore.ts';
export { type Role, roles } from './roles.ts';
export { oldestServerVersion, serverVersion } from './server-version.ts';
export { setMirrorText } from './set-mirror-text.ts';
export { type Statement, Statements } from './statements.ts';
