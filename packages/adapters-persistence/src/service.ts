// The promised names, and names that only the packages of this project use.
export { postgresCampaignExport, postgresCampaignImport } from './bulk/copy-campaigns.ts';
export { codeOf, isAbsent, isForbidden } from './connection/database-faults.ts';
export { type DatabaseProbe, type DatabaseState, openProbe } from './connection/database-probe.ts';
export { oldestServerVersion } from './connection/pool.ts';
export { statementNames } from './hot-path/run-statements.ts';
export * from './index.ts';
export { isEmpty } from './migration/migrate.ts';
export { postgresCampaignRecords } from './operator/campaign-store.ts';
export { postgresChangeFeed } from './operator/feed-polls.ts';
export { postgresAudit, postgresHistoryPruning, postgresMirrorHistory } from './operator/history-queries.ts';
export { postgresOperatorMirrors } from './operator/mirror-store.ts';
export { roleRightsText } from './schema/role-rights.ts';
export {
  invalidMirrorsText,
  locationText,
  migrationNames,
  missingPartsText,
  type Role,
  roles,
} from './schema/schema.ts';
