import { migrationNames } from '../schema/migration-names.ts';
import { codeOf } from './database-faults.ts';
import { type DatabaseAddress, openPool } from './pool.ts';
import { within } from './within.ts';

/** Whether the service can work on the database: each by its name. What was not found out is left out. */
export interface DatabaseState {
  /** It answers, and in time. */
  readonly database: boolean;
  /** It takes writes: it is no standby, and not set to be read only. */
  readonly writable?: boolean;
  /** It has every migration that this version needs; those of a newer version do no harm. */
  readonly migrations?: boolean;
}

export interface DatabaseProbe {
  /** Reads, and changes nothing. Never rejects. */
  ask(): Promise<DatabaseState>;
  /**
   * PostgreSQL's estimate of the rows of the history, as of its last vacuum or analyze; undefined before the first of
   * them, and before the database was asked.
   */
  readonly historyRows: number | undefined;
  close(): Promise<void>;
}

export interface ProbeLimits {
  /** For an answer, a connection that has to be made first included, in milliseconds. */
  readonly timeout: number;
  /** Whether the server may be told a limit of its own: a pooler between may refuse that. */
  readonly statementTimeout: boolean;
}

const stateText = `
  select current_setting('transaction_read_only') = 'off' as writable, not exists (
    select from unnest($1::text[]) as needed (name)
    where not exists (select from campaign_mirror.migrations as applied where applied.name = needed.name)
  ) as migrated,
  (select reltuples from pg_class where oid = to_regclass('campaign_mirror.mirror_history')) as history_rows`;

/** What says that the table of migrations is not there, or that we may not read it as every version of ours may. */
const notMigrated = new Set(['42P01', '3F000', '42501']);

/**
 * By a connection of its own: one of the service's pool says nothing of the database while the load has them all. It
 * is made when it is needed, and ends when nobody has asked for ten seconds.
 */
export async function openProbe(address: DatabaseAddress, limits: ProbeLimits): Promise<DatabaseProbe> {
  const { timeout } = limits;
  const bounds = { size: 1, waitTimeout: timeout, queryTimeout: timeout };
  const statementTimeout = limits.statementTimeout ? timeout : 0;
  const { pool, close } = openPool(address, { ...bounds, statementTimeout }, 'campaign-mirror readiness');

  let historyRows: number | undefined;
  const read = async (): Promise<DatabaseState> => {
    try {
      const { rows } = await pool.query(stateText, [migrationNames]);
      // -1 where it was never counted.
      if (rows[0].history_rows >= 0) historyRows = rows[0].history_rows;
      return { database: true, writable: rows[0].writable, migrations: rows[0].migrated };
    } catch (error) {
      const code = codeOf(error);
      return notMigrated.has(code) ? { database: true, migrations: false } : { database: false };
    }
  };
  return {
    // The pool counts anew for the connection and for the answer.
    ask: () => within(timeout, read(), { database: false }),
    get historyRows() {
      return historyRows;
    },
    close: async () => void (await close(0)),
  };
}
