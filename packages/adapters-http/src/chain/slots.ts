import { answer, type Context, type Middleware } from './calls.ts';
import { faults } from './replies.ts';

/** What there were too many of; `share` is that of one owner. */
export const overloads = ['requests', 'share', 'connections'] as const;
/** One of these. */
export type Overload = (typeof overloads)[number];

/**
 * How many refusals wait for each slot. With one, three times as many callers as slots left 0.73 of the rate: those that did
 * not wait came back at once (`npm run bench -- overload`).
 */
const maxWaits = 8;

/**
 * The requests that a listener carries out at once (contract: overload). A request has a slot from the last byte of its
 * body until its outcome is known, whether or not its caller still waits. Once half of the slots are in use, an owner has
 * at most an eighth of them, so that no owner's calls keep out all others.
 */
export class Slots {
  /** How many there are. */
  readonly size: number;
  #used = 0;
  readonly #usedBy = new Map<number, number>();
  readonly #refused: (overload: Overload) => void;
  /** How long after its headers a refusal is sent, in milliseconds. */
  #refusalDelay = 1_000;
  readonly #endWaits = new Set<() => void>();

  /** `refused` is called for each refusal: it must be cheap. @throws TypeError if `size` is not a number of requests */
  constructor(size = Number.POSITIVE_INFINITY, refused: (overload: Overload) => void = () => {}) {
    if (!(size >= 0)) throw new TypeError('size: not a number of requests');
    this.size = size;
    this.#refused = refused;
  }

  get used(): number {
    return this.#used;
  }

  /** Comes before the bodies are read: refuses requests while no slot is free, and delays what the parts after it refuse. */
  readonly middleware: Middleware = async (context, next) => {
    if (this.#used < this.size) await next();
    else this.#refuse(context, 'requests');
    if (context.state.call.overload) await this.delay(context);
  };

  /** Gives the request a slot until `next` ends. */
  readonly hold: Middleware = async (context, next) => {
    if (this.#used >= this.size) return this.#refuse(context, 'requests');
    this.#used += 1;
    try {
      await next();
    } finally {
      this.#used -= 1;
    }
  };

  /** Counts the slot of a request as its owner's until `next` ends. */
  async share(context: Context, owner: number, next: () => Promise<unknown>): Promise<void> {
    const share = Math.floor(this.size / 8);
    const own = this.#usedBy.get(owner) ?? 0;
    // With fewer than eight slots, no share can be kept for anybody.
    if (this.#used > this.size / 2 && share > 0 && own >= share) return this.#refuse(context, 'share');
    this.#usedBy.set(owner, own + 1);
    try {
      await next();
    } finally {
      const left = (this.#usedBy.get(owner) ?? 0) - 1;
      if (left > 0) this.#usedBy.set(owner, left);
      else this.#usedBy.delete(owner);
    }
  }

  /**
   * Waits until a second after the headers of a request that is refused: a caller that is answered at once comes back at
   * once. At most eight times as many wait as there are slots; a drain ends the waits.
   */
  async delay({ state }: Context): Promise<void> {
    if (this.#endWaits.size >= maxWaits * this.size) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, state.began + this.#refusalDelay - performance.now()).unref();
    this.#endWaits.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#endWaits.delete(resolve);
  }

  /** From now on no refusal waits. */
  drain(): void {
    this.#refusalDelay = 0;
    for (const end of this.#endWaits) end();
  }

  #refuse(context: Context, overload: Overload): void {
    this.#refused(overload);
    context.state.call.overload = true;
    answer(context, faults.unavailable);
  }
}
