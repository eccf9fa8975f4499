import { Unavailable } from '@campaign-mirror/domain';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { to } from 'pg-copy-streams';
import { isLocked } from '../connection/database-faults.ts';
import { UnfitDatabase } from '../connection/pool.ts';
import { rowsOf } from '../connection/rows.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction, ofOneMoment } from '../connection/transaction.ts';
import { campaignsOutside, type Numbers, numbersOf, setNumbers } from '../schema/numbers.ts';
import { greatest, tableNames } from '../schema/tables.ts';
import { copyIn } from './copy-rows.ts';

/** In an order in which they can be filled: a use of a key refers to the key. */
const tables = [...tableNames, 'key_uses', 'denied_hosts'] as const;

/** The name of the first table that is not empty; undefined if all are empty. @throws Unavailable */
export async function filledTable(database: Pool | ClientBase): Promise<string | undefined> {
  for (const name of tableNames) {
    const rows = await rowsOf(database, `select from campaign_mirror.${name} limit 1`);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** From where to where, and how a copy is watched and stopped. */
export interface Copying {
  readonly source: Pool;
  readonly target: Pool;
  readonly signal: AbortSignal;
  /** The error to throw for a fault of the source. */
  readonly sourceFault: (error: unknown) => unknown;
}

const versionText =
  "(select string_agg(name, ', ' order by name) from campaign_mirror.migrations) as version";
const ownerText =
  "(select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'campaign_mirror')";

/** The table with its columns, as COPY names them. The numbers of transactions are left out: each server counts its own. */
async function tableOf(client: PoolClient, table: string): Promise<string> {
  const [row] = await rowsOf<{ columns: string }>(
    client,
    `select string_agg(attname, ', ') as columns from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'transaction_id'`,
    [`campaign_mirror.${table}`],
  );
  return `campaign_mirror.${table} (${row?.columns})`;
}

const numbersIn = (client: PoolClient) => numbersOf((text) => rowsOf(client, text));

/** The migrations of the source; then, for each table, its rows in COPY's text format, and what numbers there are. */
type Contents = AsyncGenerator<{ version: string } | Buffer | Numbers[]>;

async function* contentsOf({ source, signal, sourceFault }: Copying): Contents {
  try {
    yield* ofOneMoment(source, signal, async function* (client) {
      await client.query("set local datestyle = 'ISO'");
      yield* await rowsOf<never>(client, `select ${versionText}`);
      for (const name of tables) {
        const copy = to(`copy ${await tableOf(client, name)} to stdout`);
        yield* client.query(copy) as AsyncIterable<Buffer>;
        // After the rows, because a sequence does not belong to the moment: it is never below them.
        yield await numbersIn(client);
      }
    });
  } catch (error) {
    throw sourceFault(error);
  }
}

/**
 * Copies everything, as it is at one moment, into an empty database of the same schema, as the owner of its tables: all
 * of it, or nothing. Others cannot write there meanwhile. Returns the number of rows by the name of their table.
 * @throws what `sourceFault` returns; the reason of `signal`; UnfitDatabase; Unavailable
 */
export async function copyDatabase(copying: Copying): Promise<Readonly<Record<string, number>>> {
  const { target, signal } = copying;
  const contents = contentsOf(copying);
  const run = (client: PoolClient) => stoppable(signal, target, client, () => fill(client, contents));
  try {
    return await inTransaction(target, run, `${withoutTimeouts}; set local lock_timeout = '5s'`);
  } catch (error) {
    if (!(error instanceof Unavailable && isLocked(error.cause))) throw error;
    throw new UnfitDatabase('the database is in use: stop whatever writes to it, and run it again');
  } finally {
    await contents.return(undefined);
  }
}

async function fill(client: PoolClient, contents: Contents) {
  const refuseIf = (reason: unknown, why: string) => {
    if (reason) throw new UnfitDatabase(why);
  };
  const [ours] = await rowsOf(client, `select ${versionText}, ${ownerText} as is_owner`);
  refuseIf(!ours?.is_owner, 'only the owner of the schema copies into it: use the user that runs `migrate`');
  const { version } = (await contents.next()).value;
  const versions = `the source has the schema ${version}, and this database ${ours?.version}`;
  refuseIf(version !== ours?.version, `${versions}: run \`migrate\` of one version of the program on both`);
  const off = tables.map((name) => `alter table campaign_mirror.${name} disable trigger user`).join('; ');
  // What is copied is neither a change nor an act. Others cannot write from then on; if there is data, nobody has to wait.
  for (const text of ['', off]) {
    await client.query(text);
    const filled = await filledTable(client);
    refuseIf(
      filled,
      `the database is not empty (there are rows in ${filled}): copy into a new one; ${ofDemo}`,
    );
  }
  // Services that deny more say so again at their start.
  await client.query('delete from campaign_mirror.denied_hosts');
  let theirs: Numbers[] = [];
  async function* nextRows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value } = await contents.next();
      if (Buffer.isBuffer(value)) yield value;
      else {
        theirs = value;
        return;
      }
    }
  }
  const counts: Record<string, number> = {};
  for (const name of tables) {
    counts[name] = await copyIn(client, `copy ${await tableOf(client, name)} from stdin`, nextRows());
    await client.query(`alter table campaign_mirror.${name} enable trigger user`);
  }
  const run = <Row extends QueryResultRow>(text: string) => rowsOf<Row>(client, text);
  for (const { table_name: table, ...numbers } of await numbersIn(client)) {
    const source = theirs.find(({ table_name }) => table_name === table) ?? { ...numbers };
    // A range is kept, and comes along where there is none.
    const range = numbers.first === 1 && numbers.last === greatest ? source : numbers;
    if (table === 'campaigns') {
      const outside = await campaignsOutside(run, range);
      refuseIf(outside, `${outside}`);
    }
    await setNumbers(run, table, range, Math.max(source.assigned, numbers.assigned));
  }
  return counts;
}

const ofDemo = 'where they are of the demonstration set, DEMO=off makes none';
