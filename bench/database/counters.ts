import { query } from './query.ts';

/** What the server has counted so far. */
export interface Counters {
  /** Bytes of WAL, and pages that were written to it whole, the first time that they changed after a checkpoint. */
  readonly wal: number;
  readonly wholePages: number;
  /** Transactions that wrote. */
  readonly commits: number;
}

export async function countersOf(url: URL): Promise<Counters> {
  const [row] = await query<Record<keyof Counters, string>>(
    url,
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as "wal", wal_fpi as "wholePages",
      pg_snapshot_xmax(pg_current_snapshot())::text as "commits" from pg_stat_wal`,
  );
  return { wal: Number(row?.wal), wholePages: Number(row?.wholePages), commits: Number(row?.commits) };
}
