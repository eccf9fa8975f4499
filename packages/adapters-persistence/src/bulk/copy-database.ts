import { Unavailable } from '@campaign-mirror/domain';
import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { to } from 'pg-copy-streams';
import { isLocked } from '../connection/database-faults.ts';
import { UnfitDatabase } from '../connection/pool.ts';
import { rowsOf } from '../connection/rows.ts';
import { stoppable, withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction, ofOneMoment } from '../connection/transaction.ts';
import { campaignsOutside, numbersOf, type Run, setNumbers } from '../schema/numbers.ts';
import { greatest, tableNames } from '../schema/tables.ts';
import { copyIn } from './copy-rows.ts';

/** The name of the first table that is not empty; undefined if all are empty. @throws Unavailable */
export async function filledTable(database: Pool | ClientBase): Promise<string | undefined> {
  for (const name of tableNames) {
    const rows = await rowsOf(database, `select from campaign_mirror.${name} limit 1`);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** In an order in which they can be filled. The numbers of transactions are left out: each server counts its own. */
const tablesText = `
  select 'campaign_mirror.' || name as table, (select string_agg(attname, ', ') from pg_attribute
    where attrelid = to_regclass('campaign_mirror.' || name) and attnum > 0 and not attisdropped and attname <> 'transaction_id') as columns
  from unnest('{${[...tableNames, 'key_uses', 'denied_hosts']}}'::text[]) with ordinality as tables (name, nth) order by nth`;
const versionText = "select string_agg(name, ', ' order by name) as names from campaign_mirror.migrations";
const ownerText =
  "select from pg_namespace where nspname = 'campaign_mirror' and pg_has_role(nspowner, 'usage')";

/**
 * Copies everything, as it is at one moment, into an empty database of the same schema, as the owner of its tables: all
 * of it, or nothing. Others cannot write there meanwhile. Returns the number of rows by the name of their table.
 * @throws what `sourceFault` makes of a fault of the source; the reason of `signal`; UnfitDatabase; Unavailable
 */
export async function copyDatabase(
  source: Pool,
  target: Pool,
  signal: AbortSignal,
  sourceFault: (error: unknown) => unknown,
): Promise<Readonly<Record<string, number>>> {
  const ofSource = (error: unknown): never => {
    throw sourceFault(error);
  };
  async function* given<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* values;
    } catch (error) {
      ofSource(error);
    }
  }
  const asItIs = ofOneMoment(source, signal, async function* (from) {
    await from.query("set local datestyle = 'ISO'");
    yield from;
  });
  async function fill(client: PoolClient): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const ours: Run = (text) => rowsOf(client, text);
    refuseIf(
      !(await ours(ownerText)).length,
      'only the owner of the schema copies into it: use the user that runs `migrate`',
    );
    for await (const from of given(asItIs)) {
      const theirs: Run = <Row extends QueryResultRow>(text: string) =>
        rowsOf<Row>(from, text).catch(ofSource);
      const [[ourVersion], [theirVersion]] = [await ours(versionText), await theirs(versionText)];
      const versions = `the source has the schema ${theirVersion?.names}, and this database ${ourVersion?.names}`;
      refuseIf(
        theirVersion?.names !== ourVersion?.names,
        `${versions}: run \`migrate\` of one version of the program on both`,
      );
      const tables = await ours<{ table: string; columns: string }>(tablesText);
      const off = tables.map(({ table }) => `alter table ${table} disable trigger user`).join('; ');
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
      for (const { table, columns } of tables) {
        const rows = from.query(to(`copy ${table} (${columns}) to stdout`)) as AsyncIterable<Buffer>;
        const count = await copyIn(client, `copy ${table} (${columns}) from stdin`, given(rows));
        counts[table.replace(/.*\./, '')] = count;
        await client.query(`alter table ${table} enable trigger user`);
      }
      // After the rows, because a sequence does not belong to the moment: it is never below them.
      const numbers = await numbersOf(theirs);
      for (const { table_name: table, ...own } of await numbersOf(ours)) {
        const their = numbers.find(({ table_name }) => table_name === table) ?? own;
        // A range is kept, and comes along where there is none.
        const range = own.first === 1 && own.last === greatest ? their : own;
        const outside = table === 'campaigns' && (await campaignsOutside(ours, range));
        refuseIf(outside, `${outside}`);
        await setNumbers(ours, table, range, Math.max(their.assigned, own.assigned));
      }
    }
    return counts;
  }
  try {
    const run = (client: PoolClient) => stoppable(signal, target, client, () => fill(client));
    return await inTransaction(target, run, `${withoutTimeouts}; set local lock_timeout = '5s'`);
  } catch (error) {
    refuseIf(
      error instanceof Unavailable && isLocked(error.cause),
      'the database is in use: stop whatever writes to it, and run it again',
    );
    throw error;
  }
}

function refuseIf(reason: unknown, why: string): void {
  if (reason) throw new UnfitDatabase(why);
}

const ofDemo = 'where they are of the demonstration set, DEMO=off makes none';
