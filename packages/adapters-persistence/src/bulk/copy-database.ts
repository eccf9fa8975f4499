import { Unavailable } from '@campaign-mirror/domain';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { to } from 'pg-copy-streams';
import { isLocked } from '../connection/database-faults.ts';
import { UnfitDatabase } from '../connection/pool.ts';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction, ofOneMoment } from '../connection/transaction.ts';
import { copyIn } from './copy-rows.ts';

/**
 * Every table but the record of migrations; those that others refer to come first. The numbers of transactions are left
 * out, because each server counts its own.
 */
const tablesText = `
  select relname::text as name, to_regclass(format('campaign_mirror.%I', relname || '_id_seq'))::text as sequence, (
    select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = tables.oid and attnum > 0 and not attisdropped and attname <> 'transaction_id') as columns
  from pg_class as tables
  where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'r' and relname <> 'migrations'
  order by exists (select from pg_constraint where conrelid = tables.oid and contype = 'f'), relname`;

const tablesOf = (database: Pool | ClientBase) =>
  rowsOf<{ name: string; sequence: string | null; columns: string }>(database, tablesText);

/** The name of the first table that is not empty; undefined if all are empty. @throws Unavailable */
export async function filledTable(database: Pool | ClientBase): Promise<string | undefined> {
  for (const { name } of await tablesOf(database)) {
    const rows = await rowsOf(database, `select from campaign_mirror.${name} limit 1`);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** Its version and size; then, for each table, its rows in COPY's text format and the last number that it assigned. */
export type Contents = AsyncGenerator<
  { readonly version: string; readonly isOther: boolean; readonly rows: number } | Buffer | number
>;

/** The number of the advisory lock of a database that is being filled; chosen arbitrarily. */
const fillingLock = 7_236_110_422;
const versionText =
  "(select string_agg(name, ', ' order by name) from campaign_mirror.migrations) as version";
const lastText = (sequence: string) => `select last_value - 1 + is_called::int as number from ${sequence}`;

/** All that a database contains at one moment. @throws Unavailable; the driver's error; the reason of `signal` */
export function contentsOf(pool: Pool, signal: AbortSignal): Contents {
  return ofOneMoment(pool, signal, async function* (client) {
    await client.query("set local datestyle = 'ISO'");
    const tables = await tablesOf(client);
    const sizes = tables.map(({ name }) => `(select count(*) from campaign_mirror.${name})`);
    const isOther = `pg_try_advisory_xact_lock_shared(${fillingLock})`;
    yield* await rowsOf<{ version: string; isOther: boolean; rows: number }>(
      client,
      `select ${versionText}, ${isOther} as "isOther", ${sizes.join(' + ')} as rows`,
    );
    for (const { name, columns, sequence } of tables) {
      yield* client.query(to(`copy campaign_mirror.${name} (${columns}) to stdout`)) as AsyncIterable<Buffer>;
      // After the rows, because a sequence does not belong to the moment: it is never below them.
      yield sequence ? await numberOf(client, lastText(sequence)) : 0;
    }
  });
}

/**
 * Puts what another database of the same schema contains into an empty one, as the owner of its tables: all of it, or
 * nothing. Others cannot write there meanwhile. `onProgress` receives the number of rows so far, and the number of all.
 * Returns the number of rows by the name of their table.
 * @throws UnfitDatabase; Unavailable; what `contents` throws; the reason of `signal`
 */
export async function fillFrom(
  contents: Contents,
  pool: Pool,
  signal: AbortSignal,
  onProgress: (rows: number, all: number) => void,
): Promise<Readonly<Record<string, number>>> {
  try {
    return await inTransaction(
      pool,
      (client) => stoppable(signal, pool, client, () => fill(client, contents, onProgress)),
      `${withoutTimeouts}; set local lock_timeout = '5s'`,
    );
  } catch (error) {
    if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
    throw new UnfitDatabase('the database is in use: stop whatever writes to it, and run it again');
  } finally {
    await contents.return(undefined);
  }
}

async function fill(client: PoolClient, contents: Contents, onProgress: (rows: number, all: number) => void) {
  const { value: theirs } = await takenOver(client, contents);
  let [rows, last] = [0, 0];
  async function* nextRows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value } = await contents.next();
      if (typeof value === 'number') {
        last = value;
        return;
      }
      yield value;
      // Each row is a line: a newline in a value is escaped.
      rows += value.toString('latin1').split('\n').length - 1;
      onProgress(rows, theirs.rows);
    }
  }
  const counts: Record<string, number> = {};
  for (const { name, columns, sequence } of await tablesOf(client)) {
    counts[name] = await copyIn(client, `copy campaign_mirror.${name} (${columns}) from stdin`, nextRows());
    await client.query(`alter table campaign_mirror.${name} enable trigger user`);
    if (!sequence) continue;
    const beyond = Math.max(last, await numberOf(client, lastText(sequence)));
    // A restart is undone with its transaction, and so is what `setval` does after it.
    await client.query(`alter sequence ${sequence} restart`);
    await client.query(`select setval($1, $2) from ${sequence} where last_value <= $2`, [sequence, beyond]);
  }
  return counts;
}

/**
 * Keeps other writers out of an empty database until the end of the transaction, and its triggers off: what is copied is
 * neither a change nor an act. Returns the first of the contents. @throws UnfitDatabase
 */
async function takenOver(client: PoolClient, contents: Contents) {
  const isOwner =
    "(select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'campaign_mirror')";
  const [ours] = await rowsOf(
    client,
    `select ${versionText}, ${isOwner} as "isOwner", pg_advisory_xact_lock(${fillingLock})`,
  );
  if (!ours?.isOwner)
    throw new UnfitDatabase('only the owner of the schema copies into it: use the user that runs `migrate`');
  const first = await contents.next();
  const { isOther, version } = first.value;
  if (!isOther) throw new UnfitDatabase('the source is the database itself: name two different ones');
  if (version !== ours.version)
    throw new UnfitDatabase(
      `the source has the schema ${version}, and this database ${ours.version}: run \`./campaign-mirror migrate\` on both, with the same version of the program`,
    );
  const refuseData = async () => {
    const table = await filledTable(client);
    if (!table) return;
    throw new UnfitDatabase(
      `the database is not empty (there are rows in ${table}): copy into a new one; ` +
        'where they are of the demonstration set, DEMO=off makes none',
    );
  };
  // Before the locks, too, so that nobody waits for them in vain.
  await refuseData();
  for (const { name } of await tablesOf(client))
    await client.query(`alter table campaign_mirror.${name} disable trigger user`);
  await refuseData();
  return first;
}
