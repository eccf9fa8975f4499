import { Unavailable } from '@campaign-mirror/domain';
import type { BatchStatement, Call, StatementRunner } from './run-statements.ts';

/** Calls in order of arrival. After `timeout` milliseconds a call is rejected: Unavailable, with this reason. */
export class WaitingCalls<Wanted, Answer> {
  #calls: Call<Wanted, Answer>[] = [];
  readonly #timeout: number;
  readonly #reason: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeout: number, reason: string) {
    this.#timeout = timeout;
    this.#reason = reason;
  }

  get length(): number {
    return this.#calls.length;
  }

  /** Resolves with the answer to the call, once it was taken. */
  add(wanted: Wanted, target?: string, since = performance.now()): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#calls.push({ wanted, since, target, resolve, reject });
    this.#watch();
    return promise;
  }

  /** Removes the first `limit` calls that are ready. */
  take(limit: number, isReady = (_: Call<Wanted, Answer>) => true): Call<Wanted, Answer>[] {
    const taken: Call<Wanted, Answer>[] = [];
    this.#calls = this.#calls.filter((call) => {
      const isTaken = taken.length < limit && isReady(call);
      if (isTaken) taken.push(call);
      return !isTaken;
    });
    return taken;
  }

  #watch(): void {
    const [first] = this.#calls;
    if (this.#timer || !first) return;
    const rejectLate = () => {
      this.#timer = undefined;
      const before = performance.now() - this.#timeout;
      const late = this.take(this.length, ({ since }) => since <= before);
      for (const { reject } of late) reject(new Unavailable(this.#reason));
      this.#watch();
    };
    this.#timer = setTimeout(
      rejectLate,
      Math.max(0, first.since + this.#timeout - performance.now()),
    ).unref();
  }
}

/** A larger batch runs alone, because it costs less for each member. */
const maxSmallBatch = 64;

/**
 * Calls that arrive while a batch runs form the next one. It is sent when the current one ends or, if that is small,
 * when as many calls wait: then one executes while the other commits. At most two batches run. A single call is sent at
 * the end of the event loop's turn.
 */
export class Batches<Wanted, Answer> {
  readonly #waiting: WaitingCalls<Wanted, Answer>;
  readonly #statements: StatementRunner;
  readonly #statement: BatchStatement<Wanted, Answer>;
  /** The targets of the calls that run. */
  readonly #targets = new Set<string | undefined>();
  #running = 0;
  #lastSize = 0;

  constructor(statements: StatementRunner, statement: BatchStatement<Wanted, Answer>, timeout: number) {
    this.#waiting = new WaitingCalls(timeout, 'no batch could take the request in time');
    this.#statements = statements;
    this.#statement = statement;
  }

  /** @throws Unavailable */
  run(wanted: Wanted, target?: string): Promise<Answer> {
    const answer = this.#waiting.add(wanted, target);
    // Not at once: other calls of this turn of the event loop join the batch.
    if (this.#isDue()) setImmediate(() => this.#send());
    return answer;
  }

  /** Removes the waiting calls of a target. */
  takeAll(target: string): Call<Wanted, Answer>[] {
    return this.#waiting.take(this.#waiting.length, (call) => call.target === target);
  }

  #isDue(): boolean {
    if (this.#running === 0) return true;
    return this.#running === 1 && this.#lastSize <= maxSmallBatch && this.#waiting.length >= this.#lastSize;
  }

  async #send(): Promise<void> {
    if (!this.#isDue()) return;
    const batch = this.#waiting.take(this.#statement.maxSize, (call) => this.#begins(call));
    if (batch.length === 0) return;
    this.#lastSize = batch.length;
    this.#running += 1;
    await this.#statements.runBatch(this.#statement, batch);
    for (const { target } of batch) this.#targets.delete(target);
    this.#running -= 1;
    void this.#send();
  }

  #begins({ target }: Call<Wanted, Answer>): boolean {
    if (this.#targets.has(target)) return false;
    if (target !== undefined) this.#targets.add(target);
    return true;
  }
}
