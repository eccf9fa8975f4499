import { Unavailable } from '@campaign-mirror/domain';
import type { BatchStatement, Call, StatementRunner } from './run-statements.ts';

/** Calls in order of arrival. Who waits for `timeout` milliseconds is removed and Unavailable, for the reason `why`. */
export class WaitingCalls<Wanted, Answer> {
  #calls: Call<Wanted, Answer>[] = [];
  readonly #timeout: number;
  readonly #why: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeout: number, why: string) {
    this.#timeout = timeout;
    this.#why = why;
  }

  get length(): number {
    return this.#calls.length;
  }

  /** Resolves with the answer of who takes the call. */
  add(wanted: Wanted, line?: string, since = performance.now()): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#calls.push({ wanted, since, line, resolve, reject });
    this.#watch();
    return promise;
  }

  /** Removes the first calls that are ready, at most so many. */
  take(most: number, isReady = (_: Call<Wanted, Answer>) => true): Call<Wanted, Answer>[] {
    const taken: Call<Wanted, Answer>[] = [];
    this.#calls = this.#calls.filter((call) => {
      const isTaken = taken.length < most && isReady(call);
      if (isTaken) taken.push(call);
      return !isTaken;
    });
    return taken;
  }

  #watch(): void {
    const [first] = this.#calls;
    if (this.#timer || !first) return;
    const dismiss = () => {
      this.#timer = undefined;
      const before = performance.now() - this.#timeout;
      const late = this.take(this.length, ({ since }) => since <= before);
      for (const { reject } of late) reject(new Unavailable(this.#why));
      this.#watch();
    };
    this.#timer = setTimeout(dismiss, Math.max(0, first.since + this.#timeout - performance.now())).unref();
  }
}

/** A larger batch costs less for each member: none is sent beside it. */
const maxSmallBatch = 64;

/**
 * Calls that arrive while a batch is under way form the next one. It is due as soon as the current one ends, or, if
 * that is small, when as many calls wait as it has: one is executed while the other is committed. Never more than two
 * batches are under way. A lone call is due at the end of the event loop's turn.
 */
export class Batches<Wanted, Answer> {
  readonly #waiting: WaitingCalls<Wanted, Answer>;
  readonly #statements: StatementRunner;
  readonly #statement: BatchStatement<Wanted, Answer>;
  /** Those that are under way. */
  readonly #lines = new Set<string | undefined>();
  #underWay = 0;
  #lastSize = 0;

  /** A call that waits longer than `timeout` milliseconds is rejected. */
  constructor(statements: StatementRunner, statement: BatchStatement<Wanted, Answer>, timeout: number) {
    this.#waiting = new WaitingCalls(timeout, 'no batch could take the request in time');
    this.#statements = statements;
    this.#statement = statement;
  }

  /** @throws Unavailable */
  run(wanted: Wanted, line?: string): Promise<Answer> {
    const answer = this.#waiting.add(wanted, line);
    // Not at once: other calls of this turn of the event loop join the batch.
    if (this.#isDue()) setImmediate(() => this.#send());
    return answer;
  }

  /** Removes the calls of a line that wait. */
  takeLine(line: string): Call<Wanted, Answer>[] {
    return this.#waiting.take(this.#waiting.length, (call) => call.line === line);
  }

  /** Whether the waiting calls, if there are any, may be sent now. */
  #isDue(): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay === 1 && this.#lastSize <= maxSmallBatch && this.#waiting.length >= this.#lastSize;
  }

  async #send(): Promise<void> {
    if (!this.#isDue()) return;
    const batch = this.#waiting.take(this.#statement.maxSize, (call) => this.#begins(call));
    if (batch.length === 0) return;
    this.#lastSize = batch.length;
    this.#underWay += 1;
    await this.#statements.runBatch(this.#statement, batch);
    for (const { line } of batch) this.#lines.delete(line);
    this.#underWay -= 1;
    void this.#send();
  }

  #begins({ line }: Call<Wanted, Answer>): boolean {
    if (this.#lines.has(line)) return false;
    if (line !== undefined) this.#lines.add(line);
    return true;
  }
}
