import type { AsyncResource } from 'node:async_hooks';
import { Unavailable } from '@campaign-mirror/domain';

/** A call that waits for its batch. */
export interface Waiting {
  /** When it arrived, by `performance.now()`. */
  readonly since: number;
  /** The asynchronous context in which it arrived, and with it the trace of its request. */
  readonly origin: AsyncResource;
  reject(reason: unknown): void;
}

/**
 * Runs the function that answers these, if there are any, in the context of the first; if it fails itself, such as by
 * an observer that throws, they are rejected with that error.
 */
export async function answering<Member extends Waiting>(
  members: readonly Member[],
  run: (members: readonly Member[]) => Promise<void>,
): Promise<void> {
  try {
    await members[0]?.origin.runInAsyncScope(run, undefined, members);
  } catch (error) {
    for (const member of members) member.reject(error);
  }
}

/**
 * One timer for the calls that wait: it fires when the first of them has waited for `timeout` milliseconds. It is kept
 * running between batches, because it costs nothing if no call waits for long.
 */
export class WaitLimit {
  readonly #timeout: number;
  readonly #first: () => Waiting | undefined;
  readonly #dismiss: (before: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `first`: the call that has waited the longest. `dismiss`: answers the calls that arrived before this time. */
  constructor(timeout: number, first: () => Waiting | undefined, dismiss: (before: number) => void) {
    this.#timeout = timeout;
    this.#first = first;
    this.#dismiss = dismiss;
  }

  /** To be called when a call begins to wait. */
  watch(): void {
    if (this.#timer) return;
    const first = this.#first();
    if (!first) return;
    const left = Math.max(0, first.since + this.#timeout - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#dismiss(performance.now() - this.#timeout);
      this.watch();
    }, left).unref();
  }
}

/** Removes those that arrived before this time from the beginning of a queue. */
export function takeBefore<Member extends Waiting>(queue: Member[], before: number): Member[] {
  const kept = queue.findIndex(({ since }) => since > before);
  return queue.splice(0, kept === -1 ? queue.length : kept);
}

/** Which calls are batched, and how. */
export interface Stage<Member extends Waiting> {
  /**
   * Takes the next batch from the waiting calls, in order of arrival, and any that have to wait elsewhere: always some,
   * if any wait and no batch is under way. It does not throw.
   */
  take(waiting: Member[]): Member[];
  /** Answers each member, whatever the result. If it rejects, so are the members that it has not answered. */
  carryOut(batch: readonly Member[]): Promise<void>;
}

/** The maximum number of members of a batch beside which another one is sent: a larger one costs less for each. */
const small = 64;

/**
 * Calls that arrive while a batch is under way wait and form the next one. It is sent as soon as that one ends, or, beside
 * a small one, when as many wait as it has: one is carried out while the other is committed. Never more than two. A lone
 * call is sent at the end of the event loop's turn in which it arrived. A call that waits longer than `timeout`
 * milliseconds is rejected.
 */
export class Batches<Member extends Waiting> {
  readonly #stage: Stage<Member>;
  readonly #waitLimit: WaitLimit;
  readonly #waiting: Member[] = [];
  #armed = false;
  #underWay = 0;
  /** Of the batch that was sent last. */
  #size = 0;

  constructor(stage: Stage<Member>, timeout: number) {
    this.#stage = stage;
    const dismiss = (before: number) => {
      for (const member of takeBefore(this.#waiting, before))
        member.reject(new Unavailable('no batch could take the request in time'));
    };
    this.#waitLimit = new WaitLimit(timeout, () => this.#waiting[0], dismiss);
  }

  add(member: Member): void {
    this.#waiting.push(member);
    this.#waitLimit.watch();
    this.#arm();
  }

  #arm(): void {
    if (this.#armed || !this.#isDue) return;
    this.#armed = true;
    // Not at once: other calls of this turn of the event loop join it.
    setImmediate(() => {
      this.#armed = false;
      void this.#go();
    });
  }

  /** Whether what waits, if anything, may be sent now. */
  get #isDue(): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay === 1 && this.#size <= small && this.#waiting.length >= this.#size;
  }

  async #go(): Promise<void> {
    // The next one at once: PostgreSQL works on it while the answers to this one are sent.
    while (this.#isDue) {
      const batch = this.#stage.take(this.#waiting);
      if (batch.length === 0) return;
      this.#size = batch.length;
      this.#underWay += 1;
      await answering(batch, (members) => this.#stage.carryOut(members));
      this.#underWay -= 1;
    }
  }
}
