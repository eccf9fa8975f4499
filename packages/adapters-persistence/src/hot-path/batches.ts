import { Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import {
  isMembersFault,
  isRetryable,
  isStalePlan,
  isStatementsFault,
  portFault,
} from '../connection/database-faults.ts';
import { type TextRow, textTypes } from '../connection/rows.ts';
import type { HotPathObserver } from './observer.ts';

/** A call that waits for its batch. */
export interface Waiting {
  /** When it arrived, by `performance.now()`. */
  readonly since: number;
  reject(reason: unknown): void;
}

/**
 * One timer for the calls that wait, each queue in order of arrival: who has waited for `timeout` milliseconds is removed
 * and Unavailable, for the reason `why`. The returned function has to be called when a call begins to wait.
 */
export function waitLimit(timeout: number, queues: () => Iterable<Waiting[]>, why: string): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    if (timer) return;
    const first = Math.min(...[...queues()].map(([call]) => call?.since ?? Number.POSITIVE_INFINITY));
    if (first === Number.POSITIVE_INFINITY) return;
    const dismiss = () => {
      timer = undefined;
      const before = performance.now() - timeout;
      for (const queue of queues()) {
        const kept = queue.findIndex(({ since }) => since > before);
        for (const { reject } of queue.splice(0, kept === -1 ? queue.length : kept))
          reject(new Unavailable(why));
      }
      watch();
    };
    timer = setTimeout(dismiss, Math.max(0, first + timeout - performance.now())).unref();
  };
  return watch;
}

interface Stage<Member extends Waiting> {
  /**
   * Removes the next batch from the waiting calls, in order of arrival, and any calls that have to wait elsewhere. If
   * calls wait and no batch is under way, it removes at least one. It does not throw.
   */
  take(waiting: Member[]): Member[];
  /** Answers each member. If it rejects, the members that it has not answered are rejected, too. */
  carryOut(batch: readonly Member[]): Promise<void>;
}

/** A larger batch costs less for each member: none is sent beside it. */
const maxSmallBatch = 64;

/**
 * Returns the function that adds a call. Calls that arrive while a batch is under way wait and form the next one. The
 * next batch is sent as soon as the current one ends, or, if the current one is small, when as many calls wait as it has:
 * one is carried out while the other is committed. Never more than two batches are under way. A lone call is sent at the
 * end of the event loop's turn in which it arrived. A call that waits longer than `timeout` milliseconds is rejected.
 */
export function batches<Member extends Waiting>(
  { take, carryOut }: Stage<Member>,
  timeout: number,
): (member: Member) => void {
  const waiting: Member[] = [];
  let isArmed = false;
  let underWay = 0;
  let lastSize = 0;

  const watch = waitLimit(timeout, () => [waiting], 'no batch could take the request in time');

  /** Whether the waiting calls, if there are any, may be sent now. */
  function isDue(): boolean {
    if (underWay === 0) return true;
    return underWay === 1 && lastSize <= maxSmallBatch && waiting.length >= lastSize;
  }

  async function send(): Promise<void> {
    // The next batch follows at once: PostgreSQL works on it while the answers to this one are sent.
    while (isDue()) {
      const batch = take(waiting);
      if (batch.length === 0) return;
      lastSize = batch.length;
      underWay += 1;
      await carryOut(batch).catch((error) => {
        for (const member of batch) member.reject(error);
      });
      underWay -= 1;
    }
  }

  return (member) => {
    waiting.push(member);
    watch();
    if (isArmed || !isDue()) return;
    isArmed = true;
    // Not at once: other calls of this turn of the event loop join the batch.
    setImmediate(() => {
      isArmed = false;
      void send();
    });
  };
}

interface Failed {
  readonly statement: Statement;
  readonly observer: HotPathObserver;
}

/**
 * For a batch whose statement failed: if nothing was done and a single member may be the cause, the members run one by
 * one. After the first fault that is not a member's own, the remaining ones are rejected with it.
 */
export async function splitUp<Member extends Waiting>(
  error: unknown,
  batch: readonly Member[],
  { statement, observer }: Failed,
  run: (member: Member) => Promise<void>,
): Promise<void> {
  const isRefused = isStatementsFault(error);
  if (isRefused) observer.refused?.(statement.name, error);
  if (batch.length === 1 || !(isRefused || isMembersFault(error))) throw error;
  for (const [index, member] of batch.entries()) {
    try {
      await run(member);
    } catch (error) {
      const others = isMembersFault(error) ? [] : batch.slice(index + 1);
      for (const one of [member, ...others]) one.reject(error);
      if (others.length > 0) return;
    }
  }
}

/** As metrics and PostgreSQL show them. */
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
