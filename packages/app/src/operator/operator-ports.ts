import type { OperatorAccess } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import {
  openHotPath,
  openPool,
  postgresAudit,
  postgresCampaignExport,
  postgresCampaignImport,
  postgresCampaignRecords,
  postgresChangeFeed,
  postgresHistoryPruning,
  postgresMirrorHistory,
  postgresMirrorMoves,
  postgresOperatorMirrors,
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
          records: postgresCampaignRecords(pool),
          history: postgresMirrorHistory(pool, signal),
          feed: postgresChangeFeed(pool, signal),
          pruning: postgresHistoryPruning(pool, act),
          moves: postgresMirrorMoves(pool, act),
          mirrors: postgresOperatorMirrors(pool, act),
          audit: postgresAudit(pool),
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
        const records = postgresCampaignRecords(pool);
        const history = postgresMirrorHistory(pool, signal);
        const settings = new PostgresSettings(orm, act);
        return run({ records, history, settings, keys: new PostgresAccessKeys(orm, act) }, context);
      });
    },
  };
}
