import type { AdministrationPorts, OperatorPorts } from '@campaign-mirror/adapters-cli';
import type { Database, PostgresDemonstration } from '@campaign-mirror/adapters-persistence';
import {
  type OpenHotPath,
  type OpenPool,
  openHotPath,
  PostgresAudit,
  PostgresCampaignExport,
  PostgresCampaignImport,
  PostgresCampaignRecords,
  PostgresHistoryPruning,
  PostgresMirrorHistory,
  PostgresMirrorMoves,
  PostgresOperatorMirrors,
} from '@campaign-mirror/adapters-persistence/sql';
import type { OperatorAct } from '@campaign-mirror/domain';

/**
 * The ports of the operator's commands. `signal` ends long reads and writes at once. Stop `uses` at the end: it then
 * has recorded the key that a command was called with.
 */
export function operatorPorts(
  { pool }: OpenPool,
  act: OperatorAct,
  signal: AbortSignal,
): OperatorPorts & OpenHotPath {
  return {
    records: new PostgresCampaignRecords(pool),
    history: new PostgresMirrorHistory(pool, signal),
    pruning: new PostgresHistoryPruning(pool, act),
    moves: new PostgresMirrorMoves(pool, act),
    mirrors: new PostgresOperatorMirrors(pool, act),
    audit: new PostgresAudit(pool),
    imports: new PostgresCampaignImport(pool, act, signal),
    exports: new PostgresCampaignExport(pool, signal),
    ...openHotPath(pool, { named: false }),
  };
}

/** The ports that need MikroORM, which takes longer to load than all the rest: it is loaded here. */
export async function administrationPorts(
  database: Database,
  act: OperatorAct,
  signal?: AbortSignal,
): Promise<AdministrationPorts & { readonly demonstration: PostgresDemonstration }> {
  const { PostgresAccessKeys, PostgresDemonstration, PostgresSettings } = await import(
    '@campaign-mirror/adapters-persistence'
  );
  return {
    records: new PostgresCampaignRecords(database.pool),
    history: new PostgresMirrorHistory(database.pool, signal),
    settings: new PostgresSettings(database.orm, act),
    keys: new PostgresAccessKeys(database.orm, act),
    demonstration: new PostgresDemonstration(database.orm, act),
  };
}
