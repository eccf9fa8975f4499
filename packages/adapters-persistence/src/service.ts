// The service's own, no promise: what only our packages use, beside the promised names.
export { postgresCampaignExport } from './bulk/campaign-export.ts';
export { postgresCampaignImport } from './bulk/campaign-import.ts';
export { codeOf, isAbsent, isForbidden } from './connection/database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe } from './connection/database-probe.ts';
export { oldestServerVersion, withTimeLimit } from './connection/pool.ts';
export { statementNames } from './hot-path/statements.ts';
export * from './index.ts';
export { isEmpty } from './migration/migrate.ts';
export { postgresCampaignRecords } from './operator/campaign-records.ts';
export { postgresChangeFeed } from './operator/follow-changes.ts';
export {
  postgresAudit,
  postgresHistoryPruning,
  postgresMirrorHistory,
} from './operator/history-and-audit.ts';
export { postgresOperatorMirrors } from './operator/operator-mirrors.ts';
export {
  migrationNames,
  mirrorFaultsText,
  missingText,
  placeText,
  type Role,
  rightsText,
  roles,
} from './schema/schema.ts';
