/*
 * The numbers that an installation may assign, where several stand behind one name: its range. It is kept as the limits of
 * the sequences, which a dump contains.
 */
import type { QueryResultRow } from 'pg';
import { countedUpTo, greatest, tableNames } from './tables.ts';

/** Both included; from 1 to 2^53-1. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** The range of a table, and the last number that it assigned. */
export interface Numbers extends NumberRange {
  readonly table_name: string;
  readonly assigned: number;
  /** The greatest number of a row in the range, 0 if there is none. */
  readonly highest: number;
}

/** `highest` is the number of a row that the sequence has to be beyond. */
const numbers = `
  create view campaign_mirror.numbers as ${tableNames
    .map(
      (table) => `
    select '${table}' as table_name, seqmin as first, seqmax as last, last_value - case when is_called then 0 else 1 end as assigned,
      coalesce((select max(id) as max from campaign_mirror.${table} where id <= least(seqmax, ${countedUpTo})), 0) as highest
    from campaign_mirror.${table}_id_seq, pg_sequence where seqrelid = 'campaign_mirror.${table}_id_seq'::regclass`,
    )
    .join(' union all ')};`;

/**
 * The sequences whose next number is taken or would be out of order, and a statement that repairs each: logical
 * replication and COPY write rows with their numbers, and move no sequence. A row beyond its range is not followed.
 */
export const numberRanges = `
  ${numbers}
  create or replace view campaign_mirror.sequences_behind as
    select table_name || '_id_seq' as sequence, format(
      'select setval(%L, (select max(id) from campaign_mirror.%I where id <= %s))',
      'campaign_mirror.' || table_name || '_id_seq', table_name, least(last, ${countedUpTo})) as mended_by
    from campaign_mirror.numbers where highest > assigned;`;

/** Runs a statement, by whichever library. */
export type Run = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The numbers of each table. */
export const numbersOf = (run: Run) =>
  run<Numbers>(`select table_name, first::float8 as first, last::float8 as last, assigned::float8 as assigned,
    highest::float8 as highest
    from campaign_mirror.numbers`);

/** What to say if there are campaigns with other numbers than these. */
export async function campaignsOutside(run: Run, { first, last }: NumberRange): Promise<string | undefined> {
  const [row] = await run<{ low: number | null; high: number | null }>(
    'select min(id)::float8 as low, max(id)::float8 as high from campaign_mirror.campaigns',
  );
  const { low, high } = row ?? {};
  if (low == null || high == null || (low >= first && high <= last)) return undefined;
  return `there are campaigns with numbers from ${low} to ${high}, and the range is ${first} to ${last}`;
}

/**
 * Lets a table assign the numbers from `first` to `last` that come after `assigned`: none, if that is the last one or
 * beyond. Other tables than the campaigns go on if they are beyond, because each change takes a number. A restart is undone
 * with its transaction, and so is what `setval` does after it.
 */
export async function setNumbers(run: Run, table: string, { first, last }: NumberRange, assigned: number) {
  const sequence = `campaign_mirror.${table}_id_seq`;
  const end = table === 'campaigns' || assigned <= last ? last : greatest;
  await run(`alter sequence ${sequence} minvalue ${first} maxvalue ${end} start ${first} restart ${first}`);
  if (assigned >= first) await run(`select setval('${sequence}', ${Math.min(assigned, end)})`);
}
