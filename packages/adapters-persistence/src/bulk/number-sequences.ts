import type { PoolClient } from 'pg';

/** More numbers than other sessions can take between reading a sequence and setting it. */
const wideGap = 1_000;

/**
 * Moves the sequence of a table's numbers beyond `last`, and never back: a wide gap is skipped in one step; in a narrow
 * one, which others could have passed meanwhile, the numbers are taken one by one.
 */
export async function moveOn(client: PoolClient, table: string, last: number): Promise<void> {
  const sequence = `campaign_mirror.${table}_id_seq`;
  const seen = `select case when is_called then last_value else last_value - 1 end as last from ${sequence}`;
  await client.query(
    `select case when $1 - last > $2 then setval('${sequence}', $1) end from (${seen}) seen`,
    [last, wideGap],
  );
  await client.query(
    `select count(nextval('${sequence}')) from (${seen}) seen, generate_series(last + 1, $1)`,
    [last],
  );
}
