// The service's own, no promise: what only our packages use, beside the promised names.
export { postgresCampaignExport } from './bulk/campaign-export.ts';
export { postgresCampaignImport } from './bulk/copy-campaigns.ts';
export { codeOf, isAbsent, isForbidden } from './connection/database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe } from './connection/database-probe.ts';
export { oldestServerVersion, withTimeLimit } from './connection/pool.ts';
export { statementNames } from './hot-path/run-statements.ts';
export * from './index.ts';
export { isEmpty } from './migration/migrate.ts';
export { postgresCampaignRecords } from './operator/campaign-records.ts';
export { postgresChangeFeed } from './operator/feed-polls.ts';
export {
  postgresAudit,
  postgresHistoryPruning,
  postgresMirrorHistory,
} from './operator/history-queries.ts';
export { postgresOperatorMirrors } from './operator/mirror-store.ts';
export {
  invalidMirrorsText,
  locationText,
  migrationNames,
  missingPartsText,
  type Role,
  roleRightsText,
  roles,
} from './schema/schema.ts';
