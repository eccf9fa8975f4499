import type { Database } from './database.ts';

/** What the server counts. WAL and writing transactions are those of all its databases, the rest this one's. */
export interface Counters {
  /** Bytes of WAL, and pages that were written to it whole, the first time that they changed after a checkpoint. */
  readonly wal: number;
  readonly wholePages: number;
  /** Transactions that wrote. */
  readonly commits: number;
  /** All transactions; a second late, as the next three are. */
  readonly transactions: number;
  /** Rows of `mirrors` that were changed, and those of them without a new entry in an index (HOT). */
  readonly changed: number;
  readonly changedInPlace: number;
  readonly recorded: number;
}

export async function countersOf(database: Database): Promise<Counters> {
  const [row = {}] = await database.query<Record<string, string>>(`
    select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as "wal",
      (select wal_fpi from pg_stat_wal) as "wholePages",
      pg_snapshot_xmax(pg_current_snapshot()) as "commits",
      (select xact_commit from pg_stat_database where datname = current_database()) as "transactions",
      mirrors.n_tup_upd as "changed", mirrors.n_tup_hot_upd as "changedInPlace", history.n_tup_ins as "recorded"
    from pg_stat_user_tables mirrors, pg_stat_user_tables history
    where mirrors.schemaname = 'campaign_mirror' and mirrors.relname = 'mirrors'
      and history.schemaname = 'campaign_mirror' and history.relname = 'mirror_history'`);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Number(value)]),
  ) as unknown as Counters;
}

export function counted(before: Counters, after: Counters): Counters {
  const names = Object.keys(before) as (keyof Counters)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Counters;
}
