import type { Pool } from 'pg';
import { isRetryable, isStalePlan, portFault } from '../connection/database-faults.ts';
import { type TextRow, textTypes } from '../connection/rows.ts';

export const statementNames = ['look-up', 'set-mirrors', 'set-locked-mirror'] as const;

/** A statement of the hot path: parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: (typeof statementNames)[number];
  readonly text: string;
}

/**
 * Runs statements on the pool. Each is a transaction of its own, which ends with its connection. It is run again if
 * PostgreSQL ended it in favor of another, or its plan was stale.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly #observer: HotPathObserver;

  /** `prepared: false` for a pooler in transaction mode without prepared statements. */
  constructor(pool: Pool, { prepared = true } = {}, observer: HotPathObserver = {}) {
    this.#pool = pool;
    this.#prepared = prepared;
    this.#observer = observer;
  }

  /**
   * Each row is the array of its columns, in PostgreSQL's text form.
   * @throws Unavailable when the connection is lost: the outcome of the statement is unknown then
   */
  async run<Row extends TextRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.#query<Row>(statement, values, this.#prepared);
    } catch (error) {
      if (!isRetryable(error) && !isStalePlan(error)) throw portFault(error);
    }
    this.#observer.retried?.(statement.name);
    try {
      // Any connection of the pool may have an equally stale plan: this time the text is parsed.
      return await this.#query<Row>(statement, values, false);
    } catch (error) {
      throw portFault(error);
    }
  }

  async #query<Row extends TextRow>(
    { name, text }: Statement,
    values: readonly unknown[],
    prepared: boolean,
  ): Promise<Row[]> {
    const since = performance.now();
    try {
      const query = { text, values: [...values], types: textTypes, rowMode: 'array' as const };
      const { rows } = await this.#pool.query<Row>(prepared ? { ...query, name } : query);
      this.#observer.ended?.(name, performance.now() - since);
      return rows as unknown as Row[];
    } catch (error) {
      this.#observer.ended?.(name, performance.now() - since, error);
      throw error;
    }
  }
}

/** What is batched: look-ups of keys and campaigns, or updates of mirrors. */
export type BatchKind = 'look-up' | 'update';

/**
 * Observes what the hot path does at the database, for metrics. It is called with every statement, so it has to be cheap.
 * It must not throw.
 */
export interface HotPathObserver {
  /** This many calls form a batch. */
  batch?(kind: BatchKind, size: number): void;
  /**
   * A statement was answered after this many milliseconds, including the wait for a connection, or failed with this error
   * of the driver.
   */
  ended?(statement: string, milliseconds: number, error?: unknown): void;
  /** A statement is run again, because PostgreSQL ended it in favor of another transaction, or its plan was stale. */
  retried?(statement: string): void;
  /** The members of a batch run one by one, after a fault that one of them may have caused for all. */
  splitUp?(kind: BatchKind): void;
  /**
   * PostgreSQL rejected a batch's statement itself, whatever its values, such as for a missing right: an error in this
   * program or its setup.
   */
  refused?(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside?(): void;
  /** A campaign changed while an update waited for its row: nothing was set, and it is judged again. */
  judgedAgain?(): void;
}
