import type { ClientBase, Pool, QueryResultRow } from 'pg';
import { portFault } from './database-faults.ts';

/** The rows of a statement. @throws Unavailable when the database is */
export async function rowsOf<Row extends QueryResultRow>(
  database: Pool | ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return (await (database as Pool).query<Row>(text, values)).rows;
  } catch (error) {
    throw portFault(error);
  }
}
