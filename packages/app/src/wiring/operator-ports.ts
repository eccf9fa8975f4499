import type { AdministrationPorts, OperatorPorts } from '@campaign-mirror/adapters-cli';
import type { Database } from '@campaign-mirror/adapters-persistence';
import {
  GroupCommit,
  KeyUses,
  type OpenPool,
  PostgresAudit,
  PostgresCampaignExport,
  PostgresCampaignImport,
  PostgresCampaignRecords,
  PostgresCampaigns,
  PostgresHistoryPruning,
  PostgresIdentity,
  PostgresMirrorHistory,
  PostgresMirrorMoves,
  PostgresOperatorMirrors,
  Statements,
} from '@campaign-mirror/adapters-persistence/sql';
import type { OperatorAct } from '@campaign-mirror/domain';

/**
 * What the operator's commands work on. With `signal`, what reads or writes many rows ends at once. `uses` is to be
 * stopped at the end: then it has noted the key that a command was called with.
 */
export function operatorPorts(
  { pool }: OpenPool,
  act: OperatorAct,
  signal: AbortSignal,
): OperatorPorts & { readonly uses: KeyUses } {
  const statements = new Statements(pool, { named: false });
  const hotPath = new GroupCommit(statements);
  const uses = new KeyUses(pool);
  return {
    records: new PostgresCampaignRecords(pool),
    history: new PostgresMirrorHistory(pool),
    pruning: new PostgresHistoryPruning(statements, act),
    moves: new PostgresMirrorMoves(pool, act),
    mirrors: new PostgresOperatorMirrors(statements, act),
    audit: new PostgresAudit(pool),
    imports: new PostgresCampaignImport(pool, act, signal),
    exports: new PostgresCampaignExport(pool, signal),
    campaigns: new PostgresCampaigns(hotPath, { uses }),
    identity: new PostgresIdentity(hotPath, { uses }),
    uses,
  };
}

/** The same of what needs MikroORM, which takes longer to load than all the rest: it is loaded here. */
export async function administrationPorts(
  database: Database,
  act: OperatorAct,
): Promise<AdministrationPorts> {
  const { PostgresAccessKeys, PostgresSettings } = await import('@campaign-mirror/adapters-persistence');
  return {
    records: new PostgresCampaignRecords(database.pool),
    settings: new PostgresSettings(database.orm, act),
    keys: new PostgresAccessKeys(database.orm, act),
  };
}
