import type { OperatorAccess } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import {
  openHotPath,
  openPool,
  PostgresAudit,
  PostgresCampaignRecords,
  PostgresHistoryPruning,
  PostgresMirrorHistory,
  PostgresMirrorMoves,
  PostgresOperatorMirrors,
  postgresCampaignExport,
  postgresCampaignImport,
} from '@campaign-mirror/adapters-persistence/sql';
import { actOn } from './command-database.ts';

/** The ports of the operator's commands, on the configured database. Ctrl-C ends long reads and writes at once. */
export function operatorPorts(call: Call): Pick<OperatorAccess, 'acting' | 'administering'> {
  const { signal } = call.interruption;
  return {
    acting: (run, options = {}) =>
      actOn(call, openPool, options, ({ database: { pool }, act }, context) => {
        const hotPath = openHotPath(pool, { prepared: false });
        const ports = {
          ...hotPath,
          records: new PostgresCampaignRecords(pool),
          history: new PostgresMirrorHistory(pool, signal),
          pruning: new PostgresHistoryPruning(pool, act),
          moves: new PostgresMirrorMoves(pool, act),
          mirrors: new PostgresOperatorMirrors(pool, act),
          audit: new PostgresAudit(pool),
          imports: postgresCampaignImport(pool, act, signal),
          exports: postgresCampaignExport(pool, signal),
        };
        // Stopping writes the use of the key that a command was called with.
        return run(ports, context).finally(() => hotPath.uses.stop());
      }),
    administering: async (run, options = {}) => {
      // Loaded here only: MikroORM takes longer to load than everything else.
      const { openDatabase, PostgresAccessKeys, PostgresSettings } = await import(
        '@campaign-mirror/adapters-persistence'
      );
      return actOn(call, openDatabase, options, ({ database: { pool, orm }, act }, context) => {
        const records = new PostgresCampaignRecords(pool);
        const history = new PostgresMirrorHistory(pool, signal);
        const settings = new PostgresSettings(orm, act);
        return run({ records, history, settings, keys: new PostgresAccessKeys(orm, act) }, context);
      });
    },
  };
}
