import type { Pool } from 'pg';
import { isRetryable, isStalePlan, portFault } from '../connection/database-faults.ts';
import { ExtendedQuery, type TextRow, type Value } from './extended-query.ts';
import { type HotPathObserver, silentHotPathObserver } from './hot-path-observer.ts';

/** A statement of the hot path: parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Runs statements on the pool. Each is a transaction of its own, which ends with its connection. It is run again if
 * PostgreSQL ended it in favor of another, or its plan was stale.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #named: boolean;
  readonly #observer: HotPathObserver;

  /** `named: false` for a pooler in transaction mode without prepared statements. */
  constructor(pool: Pool, { named = true } = {}, observer: HotPathObserver = silentHotPathObserver) {
    this.#pool = pool;
    this.#named = named;
    this.#observer = observer;
  }

  /**
   * Each row is the array of its columns, in PostgreSQL's text form.
   * @throws Unavailable when the connection is lost: the outcome of the statement is unknown then
   */
  async run<Row extends TextRow>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
    try {
      return await this.#query<Row>(statement, values, this.#named);
    } catch (error) {
      if (!isRetryable(error) && !isStalePlan(error)) throw portFault(error);
    }
    this.#observer.retried(statement.name);
    try {
      // Any connection of the pool may have an equally stale plan: this time the text is parsed.
      return await this.#query<Row>(statement, values, false);
    } catch (error) {
      throw portFault(error);
    }
  }

  async #query<Row extends TextRow>(
    { name, text }: Statement,
    values: readonly Value[],
    named: boolean,
  ): Promise<Row[]> {
    const since = performance.now();
    try {
      // The pool answers a query with the query's own result, which the driver's types leave out.
      const { rows, fault } = await this.#pool.query(new ExtendedQuery(named ? name : '', text, values));
      if (fault !== undefined) throw fault;
      this.#observer.ended(name, performance.now() - since);
      return rows as readonly TextRow[] as Row[];
    } catch (error) {
      this.#observer.ended(name, performance.now() - since, error);
      throw error;
    }
  }
}
