import { Unavailable } from '@campaign-mirror/domain';

/** A call that waits for its turn. */
export interface Call {
  /** When it arrived, by `performance.now()`. */
  readonly since: number;
  /** Of the calls of one line, one at a time is under way. */
  readonly line?: string;
  reject(reason: unknown): void;
}

/** Calls in order of arrival. Who waits for `timeout` milliseconds is removed and Unavailable, for the reason `why`. */
export class WaitingCalls<Member extends Call> {
  readonly #calls: Member[] = [];
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

  add(call: Member): void {
    this.#calls.push(call);
    this.#watch();
  }

  /** Removes the first calls that are ready, at most so many. */
  take(most: number, isReady = (_: Member) => true): Member[] {
    const taken: Member[] = [];
    const others: Member[] = [];
    let examined = 0;
    for (; examined < this.#calls.length && taken.length < most; examined++) {
      const call = this.#calls[examined] as Member;
      (isReady(call) ? taken : others).push(call);
    }
    this.#calls.splice(0, examined, ...others);
    return taken;
  }

  #watch(): void {
    const [first] = this.#calls;
    if (this.#timer || !first) return;
    const dismiss = () => {
      this.#timer = undefined;
      const before = performance.now() - this.#timeout;
      const kept = this.#calls.findIndex(({ since }) => since > before);
      const late = this.#calls.splice(0, kept === -1 ? this.#calls.length : kept);
      for (const { reject } of late) reject(new Unavailable(this.#why));
      this.#watch();
    };
    this.#timer = setTimeout(dismiss, Math.max(0, first.since + this.#timeout - performance.now())).unref();
  }
}

/** A larger batch costs less for each member: none is sent beside it. */
const maxSmallBatch = 64;

/**
 * Calls that arrive while a batch is under way wait and form the next one. The next batch is due as soon as the current one
 * ends, or, if the current one is small, when as many calls wait as it has: one is carried out while the other is committed.
 * Never more than two batches are under way. A lone call is due at the end of the event loop's turn in which it arrived.
 */
export class Batches<Member extends Call> {
  readonly #waiting: WaitingCalls<Member>;
  readonly #maxSize: number;
  readonly #lines = new Set<string>();
  #isArmed = false;
  #underWay = 0;
  #lastSize = 0;
  #changed = Promise.withResolvers<void>();

  /** At most `maxSize` calls form a batch. A call that waits longer than `timeout` milliseconds is rejected. */
  constructor(maxSize: number, timeout: number) {
    this.#maxSize = maxSize;
    this.#waiting = new WaitingCalls(timeout, 'no batch could take the request in time');
  }

  add(call: Member): void {
    this.#waiting.add(call);
    if (this.#isArmed || !this.#isDue()) return;
    this.#isArmed = true;
    // Not at once: other calls of this turn of the event loop join the batch.
    setImmediate(() => {
      this.#isArmed = false;
      this.#look();
    });
  }

  /** The next batch, when it is due: under way until `end`. It has one call of each line, of lines that are not under way. */
  async next(): Promise<Member[]> {
    for (;;) {
      const batch = this.#isDue() ? this.#waiting.take(this.#maxSize, (call) => this.#begins(call)) : [];
      if (batch.length > 0) {
        this.#lastSize = batch.length;
        this.#underWay += 1;
        return batch;
      }
      await this.#changed.promise;
    }
  }

  end(batch: readonly Member[]): void {
    for (const { line } of batch) if (line) this.#lines.delete(line);
    this.#underWay -= 1;
    this.#look();
  }

  /** Removes the calls of a line that wait. */
  takeLine(line: string): Member[] {
    return this.#waiting.take(this.#waiting.length, (call) => call.line === line);
  }

  #begins({ line }: Member): boolean {
    if (line === undefined) return true;
    if (this.#lines.has(line)) return false;
    this.#lines.add(line);
    return true;
  }

  /** Whether the waiting calls, if there are any, may be sent now. */
  #isDue(): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay === 1 && this.#lastSize <= maxSmallBatch && this.#waiting.length >= this.#lastSize;
  }

  #look(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
