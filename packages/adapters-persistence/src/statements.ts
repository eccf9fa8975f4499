import type { Pool } from 'pg';
import { isRetryable, portFault } from './database-faults.ts';
import { type HotPathObserver, silentHotPathObserver } from './hot-path-observer.ts';

/** A statement of the hot path: parsed and planned once a connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Each row is the array of its columns, which is cheaper to read than an object. */
  readonly rowMode?: 'array';
}

/**
 * Runs statements on the pool. Each is a transaction of its own, so that a connection which dies in it goes with
 * it, and one that PostgreSQL ended for another's sake is run once more.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #named: boolean;
  readonly #observer: HotPathObserver;

  /** `named: false` for a pooler in transaction mode that keeps no prepared statements. */
  constructor(pool: Pool, { named = true } = {}, observer: HotPathObserver = silentHotPathObserver) {
    this.#pool = pool;
    this.#named = named;
    this.#observer = observer;
  }

  /** @throws Unavailable when the database went away: the outcome of the statement is unknown then */
  async run<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const first = this.#observer.began(statement.name);
    try {
      return await this.#query<Row>(statement, values, first);
    } catch (error) {
      if (!isRetryable(error)) throw portFault(error);
    }
    const second = this.#observer.retried(statement.name, first);
    try {
      return await this.#query<Row>(statement, values, second);
    } catch (error) {
      throw portFault(error);
    }
  }

  async #query<Row extends object>(statement: Statement, values: unknown[], began: unknown): Promise<Row[]> {
    const { name, ...unnamed } = statement;
    const since = performance.now();
    try {
      const { rows } = await this.#pool.query({ ...(this.#named ? statement : unnamed), values });
      this.#observer.ended(name, performance.now() - since, began);
      return rows as Row[];
    } catch (error) {
      this.#observer.ended(name, performance.now() - since, began, error);
      throw error;
    }
  }
}
