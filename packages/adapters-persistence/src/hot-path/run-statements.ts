import type { Pool } from 'pg';
import * as faults from '../connection/database-faults.ts';
import { byPlace, type TextRow, textTypes } from '../connection/rows.ts';

/** As metrics and PostgreSQL show them. */
export const statementNames = ['find-keys', 'find-campaigns', 'set-mirrors', 'set-locked-mirror'] as const;

/** A statement of the hot path: parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: (typeof statementNames)[number];
  readonly text: string;
}

/** For several calls. The first column of a row is the place of its call in the arrays, from 1 up. */
export interface BatchStatement<Wanted, Answer> extends Statement {
  /** The maximum number of calls. */
  readonly maxSize: number;
  /** An array for each parameter, with an element for each call. */
  values(batch: readonly Wanted[]): unknown[];
  read(row: TextRow | undefined, wanted: Wanted): Answer;
}

/** A call that waits for its answer. */
export interface Call<Wanted, Answer> {
  readonly wanted: Wanted;
  /** When it arrived, by `performance.now()`. */
  readonly since: number;
  /** Of the calls of one line, one at a time is under way. */
  readonly line: string | undefined;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/** Observes each statement of the hot path, for metrics. It has to be cheap, and must not throw. */
export interface HotPathObserver {
  /** This many calls form a batch, for the statement of this name. */
  batch?(statement: Statement['name'], size: number): void;
  /** A statement was answered or failed after this many milliseconds, including the wait for a connection. */
  ended?(statement: string, milliseconds: number, error?: unknown): void;
  /** PostgreSQL rejected a batch's statement itself, whatever its values, such as for a missing right. */
  refused?(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside?(): void;
}

/** Each statement is a transaction, run again if PostgreSQL ended it in favor of another, or its plan was stale. */
export class StatementRunner {
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly observer: HotPathObserver;

  constructor(pool: Pool, { prepared = true } = {}, observer: HotPathObserver = {}) {
    this.#pool = pool;
    this.#prepared = prepared;
    this.observer = observer;
  }

  /** @throws Unavailable when the connection is lost: the outcome of the statement is unknown then */
  async run(statement: Statement, values: readonly unknown[]): Promise<TextRow[]> {
    const again = (error: unknown) => {
      if (!faults.isRetryable(error) && !faults.isStalePlan(error)) throw error;
      // Any connection of the pool may have an equally stale plan: this time the text is parsed.
      return this.#query(statement, values, false);
    };
    try {
      return await this.#query(statement, values, this.#prepared).catch(again);
    } catch (error) {
      throw faults.portFault(error);
    }
  }

  /**
   * Answers each call. If nothing was done and a single call may be the cause, the calls run one by one, until a fault
   * that is not a call's own. After a lost connection or a time limit, nothing is repeated. Never rejects.
   */
  async runBatch<Wanted, Answer>(
    statement: BatchStatement<Wanted, Answer>,
    batch: readonly Call<Wanted, Answer>[],
  ): Promise<void> {
    this.observer.batch?.(statement.name, batch.length);
    const answer = async (calls: typeof batch) => {
      const rows = byPlace(await this.run(statement, statement.values(calls.map(({ wanted }) => wanted))));
      for (const [index, { wanted, resolve }] of calls.entries())
        resolve(statement.read(rows.get(index + 1), wanted));
    };
    const reject = (calls: typeof batch, error: unknown) => {
      for (const call of calls) call.reject(error);
    };
    try {
      await answer(batch);
    } catch (error) {
      const isRefused = faults.isStatementsFault(error);
      if (isRefused) this.observer.refused?.(statement.name, error);
      if (batch.length === 1 || !(isRefused || faults.isMembersFault(error))) return reject(batch, error);
      for (const [index, call] of batch.entries()) {
        try {
          await answer([call]);
        } catch (error) {
          if (!faults.isMembersFault(error)) return reject(batch.slice(index), error);
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
