import pg, { type ClientBase, type CustomTypesConfig, type Pool, type QueryResultRow } from 'pg';
import { portFault } from './database-faults.ts';

const { builtins, getTypeParser } = pg.types;

/** The driver leaves a bigint as text. */
const types = {
  getTypeParser: (type: number) => (type === builtins.INT8 ? safeInteger : getTypeParser(type)),
} as CustomTypesConfig;

/** The rows of a statement, a bigint as a number. @throws Unavailable when the database is; RangeError above 2^53-1 */
export async function rowsOf<Row extends QueryResultRow>(
  database: Pool | ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return (await (database as Pool).query<Row>({ text, values, types })).rows;
  } catch (error) {
    throw portFault(error);
  }
}

/** A row as the server sends it: each column in PostgreSQL's text form (`t` and `f` for a boolean), or null. */
export type TextRow = readonly (string | null)[];

/** The driver leaves the columns as they are. */
export const textTypes = { getTypeParser: () => String } as unknown as CustomTypesConfig;

/** The same as arrays of columns. @throws as `rowsOf` */
export async function textRowsOf(
  database: Pool | ClientBase,
  text: string,
  values: unknown[],
): Promise<TextRow[]> {
  try {
    return (await (database as Pool).query({ text, values, types: textTypes, rowMode: 'array' })).rows;
  } catch (error) {
    throw portFault(error);
  }
}

/** The `number` of a statement's only row. @throws as `rowsOf` */
export async function numberOf(
  database: Pool | ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<number> {
  const [row] = await rowsOf<{ number: number }>(database, text, values);
  return row?.number ?? 0;
}

/** @throws RangeError above 2^53-1, where a number would silently be rounded to another */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('the database holds an integer above 2^53-1');
  return value;
}
