import type { ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { to } from 'pg-copy-streams';
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

function refuseIf(reason: unknown, why: string): void {
  if (reason) throw new UnfitDatabase(why);
}

/**
 * Copies everything, as it is at one moment, into an empty database of the same schema, as the owner of its tables: all
 * of it, or nothing. Others cannot write there meanwhile. Returns the number of rows by the name of their table.
 * @throws what `sourceFault` makes of a fault of the source; the reason of `signal`; UnfitDatabase; Unavailable
 */
export function copyDatabase(
  source: Pool,
  target: Pool,
  signal: AbortSignal,
  sourceFault: (error: unknown) => unknown,
): Promise<Readonly<Record<string, number>>> {
  async function* given<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* values;
    } catch (error) {
      throw sourceFault(error);
    }
  }
  async function fill(into: PoolClient): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const ours: Run = (text) => rowsOf(into, text);
    const isOwner = (await ours(ownerText)).length > 0;
    refuseIf(!isOwner, 'only the owner of the schema copies into it: use the user that runs `migrate`');
    const asItIs = ofOneMoment(source, signal, async function* (client) {
      yield client;
    });
    for await (const from of given(asItIs)) {
      const theirs: Run = <Row extends QueryResultRow>(text: string) =>
        rowsOf<Row>(from, text).catch((error) => Promise.reject(sourceFault(error)));
      const [[ourVersion], [theirVersion]] = [await ours(versionText), await theirs(versionText)];
      refuseIf(
        theirVersion?.names !== ourVersion?.names,
        `the source has the schema ${theirVersion?.names}, and this database ${ourVersion?.names}: ` +
          'run `migrate` of one version of the program on both',
      );
      const tables = await ours<{ table: string; columns: string }>(tablesText);
      const off = tables.map(({ table }) => `alter table ${table} disable trigger user`).join('; ');
      // What is copied is neither a change nor an act. Others cannot write from then on; if there is data, nobody has to wait.
      for (const text of ['', off]) {
        await into.query(text);
        const filled = await filledTable(into);
        refuseIf(
          filled,
          `the database is not empty (there are rows in ${filled}): copy into a new one; ${ofDemo}`,
        );
      }
      // Services that deny more say so again at their start.
      await into.query('delete from campaign_mirror.denied_hosts');
      for (const { table, columns } of tables) {
        // In binary, whatever settings of the sessions say how values are written.
        const rows = from.query(
          to(`copy ${table} (${columns}) to stdout (format binary)`),
        ) as AsyncIterable<Buffer>;
        const count = await copyIn(
          into,
          `copy ${table} (${columns}) from stdin (format binary)`,
          given(rows),
        );
        counts[table.replace(/.*\./, '')] = count;
        await into.query(`alter table ${table} enable trigger user`);
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
  const run = (client: PoolClient) => stoppable(signal, target, client, () => fill(client));
  return inTransaction(target, run, `${withoutTimeouts}; set local lock_timeout = '5s'`);
}

const ofDemo = 'where they are of the demonstration set, DEMO=off makes none';
