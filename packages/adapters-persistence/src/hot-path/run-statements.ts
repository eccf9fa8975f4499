import type { Pool } from 'pg';
import * as faults from '../connection/database-faults.ts';
import { asTextRows, byPlace, type TextRow } from '../connection/rows.ts';

/** Metrics and PostgreSQL show these names. */
export const statementNames = ['find-keys', 'find-campaigns', 'set-mirrors', 'set-locked-mirror'] as const;

/** A statement of the hot path, parsed and planned once per connection. */
export interface Statement {
  readonly name: (typeof statementNames)[number];
  readonly text: string;
}

/** A statement for several calls. The first column of a row is the index of its call in the arrays, from 1. */
export interface BatchStatement<Wanted, Answer> extends Statement {
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
  /** Calls of one target run one after the other. */
  readonly target: string | undefined;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/** Observes each statement of the hot path, for metrics. Its methods must be fast and must not throw. */
export interface HotPathObserver {
  /** A batch of `size` calls was formed. */
  batch?(statement: Statement['name'], size: number): void;
  /** A statement was answered or failed. The time includes the wait for a connection. */
  ended?(statement: string, milliseconds: number, error?: unknown): void;
  /** PostgreSQL rejected a statement itself, whatever its values, such as for a missing right. */
  refused?(statement: string, error: unknown): void;
  /** An update left its batch, because its campaign or mirror is locked. */
  setAside?(): void;
}

/** Runs each statement in its own transaction, and once more after a deadlock or with a stale plan. */
export class StatementRunner {
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly observer: HotPathObserver;

  constructor(pool: Pool, { prepared = true } = {}, observer: HotPathObserver = {}) {
    this.#pool = pool;
    this.#prepared = prepared;
    this.observer = observer;
  }

  /** @throws Unavailable when the connection is lost: then the outcome is unknown */
  async run(statement: Statement, values: readonly unknown[]): Promise<TextRow[]> {
    const again = (error: unknown) => {
      if (!faults.isRetryable(error) && !faults.isStalePlan(error)) throw error;
      // Unprepared: any connection of the pool may have the same stale plan.
      return this.#query(statement, values, false);
    };
    try {
      return await this.#query(statement, values, this.#prepared).catch(again);
    } catch (error) {
      throw faults.portFault(error);
    }
  }

  /**
   * Answers each call. If nothing was done and one call may be the cause, the calls run one by one, until an error has
   * another cause. Nothing is retried after a lost connection or a time limit. Never rejects.
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
      const query = { text, values: [...values], ...asTextRows };
      const { rows } = await this.#pool.query(prepared ? { ...query, name } : query);
      this.observer.ended?.(name, performance.now() - since);
      return rows as unknown as TextRow[];
    } catch (error) {
      this.observer.ended?.(name, performance.now() - since, error);
      throw error;
    }
  }
}
