import type { Pool } from 'pg';
import {
  isMembersFault,
  isRetryable,
  isStalePlan,
  isStatementsFault,
  portFault,
} from '../connection/database-faults.ts';
import { type TextRow, textTypes } from '../connection/rows.ts';
import type { Call } from './batches.ts';

/** As metrics and PostgreSQL show them. */
export const statementNames = ['find-keys', 'find-campaigns', 'set-mirrors', 'set-locked-mirror'] as const;

/** A statement of the hot path: parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: (typeof statementNames)[number];
  readonly text: string;
}

/**
 * Observes what the hot path does at the database, for metrics. It is called with every statement, so it has to be cheap.
 * It must not throw.
 */
export interface HotPathObserver {
  /** This many calls form a batch, for the statement of this name. */
  batch?(statement: Statement['name'], size: number): void;
  /**
   * A statement was answered after this many milliseconds, including the wait for a connection, or failed with this error
   * of the driver.
   */
  ended?(statement: string, milliseconds: number, error?: unknown): void;
  /**
   * PostgreSQL rejected a batch's statement itself, whatever its values, such as for a missing right: an error in this
   * program or its setup.
   */
  refused?(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside?(): void;
}

/**
 * Runs statements on the pool. Each is a transaction of its own, which ends with its connection. It is run again if
 * PostgreSQL ended it in favor of another, or its plan was stale.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly observer: HotPathObserver;

  constructor(pool: Pool, { prepared = true } = {}, observer: HotPathObserver = {}) {
    this.#pool = pool;
    this.#prepared = prepared;
    this.observer = observer;
  }

  /**
   * Each row is the array of its columns, in PostgreSQL's text form.
   * @throws Unavailable when the connection is lost: the outcome of the statement is unknown then
   */
  async run(statement: Statement, values: readonly unknown[]): Promise<TextRow[]> {
    try {
      return await this.#query(statement, values, this.#prepared);
    } catch (error) {
      if (!isRetryable(error) && !isStalePlan(error)) throw portFault(error);
    }
    try {
      // Any connection of the pool may have an equally stale plan: this time the text is parsed.
      return await this.#query(statement, values, false);
    } catch (error) {
      throw portFault(error);
    }
  }

  /**
   * Runs a batch: `settle` runs the statement for the calls that it gets, and answers them. If nothing was done and a single
   * call may be the cause, the calls run one by one; after the first fault that is not a call's own, the remaining ones are
   * rejected with it. After a lost connection or a time limit, nothing is repeated. Never rejects.
   */
  async runBatch<Member extends Call>(
    { name }: Statement,
    batch: readonly Member[],
    settle: (calls: readonly Member[]) => Promise<void>,
  ): Promise<void> {
    this.observer.batch?.(name, batch.length);
    const reject = (calls: readonly Member[], error: unknown) => {
      for (const call of calls) call.reject(error);
    };
    try {
      await settle(batch);
    } catch (error) {
      const isRefused = isStatementsFault(error);
      if (isRefused) this.observer.refused?.(name, error);
      if (batch.length === 1 || !(isRefused || isMembersFault(error))) return reject(batch, error);
      for (const [index, call] of batch.entries()) {
        try {
          await settle([call]);
        } catch (error) {
          if (!isMembersFault(error)) return reject(batch.slice(index), error);
          call.reject(error);
        }
      }
    }
  }

  async #query({ name, text }: Statement, values: readonly unknown[], prepared: boolean): Promise<TextRow[]> {
    const since = performance.now();
    try {
      const query = { text, values: [...values], types: textTypes, rowMode: 'array' as const };
      const { rows } = await this.#pool.query(prepared ? { ...query, name } : query);
      this.observer.ended?.(name, performance.now() - since);
      return rows as unknown as TextRow[];
    } catch (error) {
      this.observer.ended?.(name, performance.now() - since, error);
      throw error;
    }
  }
}
