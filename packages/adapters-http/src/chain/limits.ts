/* What a listener refuses because of the load: requests beyond its slots, and callers beyond their rate. */
import { answer, type Context, type Middleware } from './calls.ts';
import { networkOf } from './client-address.ts';
import { faultReplies, tooManyAttempts } from './replies.ts';

/** What is refused because of the load: requests, requests of one owner, connections. */
export const overloads = ['requests', 'share', 'connections'] as const;
export type Overload = (typeof overloads)[number];

/**
 * The requests in progress on a listener (contract: overload). A request has a slot from the last byte of its body
 * until its outcome is known, also if its caller has left. Once half of the slots are in use, an owner has at most an
 * eighth: no owner can take the slots of all others.
 */
export class Slots {
  /** The number of slots. */
  readonly size: number;
  #used = 0;
  readonly #usedBy = new Map<number, number>();
  readonly #refused: (overload: Overload) => void;
  /** The time from the headers of a request to its refusal, in milliseconds. */
  #refusalDelay = 1_000;
  readonly #endWaits = new Set<() => void>();

  /** `refused` is called for each refusal: it must be cheap. */
  constructor(size = Number.POSITIVE_INFINITY, refused: (overload: Overload) => void = () => {}) {
    this.size = size;
    this.#refused = refused;
  }

  get used(): number {
    return this.#used;
  }

  /** Runs before the body is read. Refuses requests while no slot is free, and delays all refusals for overload. */
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

  /** Counts the slot of a request for its owner until `next` ends. */
  async share(context: Context, owner: number, next: () => Promise<unknown>): Promise<void> {
    const share = Math.floor(this.size / 8);
    const own = this.#usedBy.get(owner) ?? 0;
    // With fewer than eight slots there are no shares.
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
   * Waits until a second after the headers of a refused request, because callers retry as soon as they are answered. At
   * most eight requests for each slot wait. With only one, three callers for each slot reduced the rate to 0.73
   * (`npm run bench -- overload`). A drain ends the waits.
   */
  async delay({ state }: Context): Promise<void> {
    if (this.#endWaits.size >= 8 * this.size) return;
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
    answer(context, faultReplies.unavailable);
  }
}

/** How many calls, at least 1, a window admits. A window begins with its first call. */
export interface Rate {
  readonly limit: number;
  readonly seconds: number;
}

/** The calls in a window, including this one, and the milliseconds until it ends. */
export interface Count {
  readonly consumed: number;
  readonly resetIn: number;
}

/** Counts calls, separately for each `who`. */
export interface Limiter {
  readonly rate: Rate;
  /** Counts one more call. @throws Unavailable if it cannot be counted */
  count(who: string): Promise<Count>;
}

/** The limits on the calls of a key, and of an address. */
export interface CallLimits {
  /** For each valid key. */
  readonly keys?: Limiter | undefined;
  /** For each address: refused keys; with a counter of their own, requests refused before the key is checked. */
  readonly failedKeys?: Limiter | undefined;
}

/** Check 6: counts a call of the caller. Beyond the limit, it answers 429 and returns false. */
export async function withinLimit(limiter: Limiter, context: Context): Promise<boolean> {
  const count = await limiter.count(context.state.call.subject ?? '');
  reportLimit(context, limiter.rate, count);
  if (count.consumed <= limiter.rate.limit) return true;
  answer(context, tooManyAttempts('rate', count.resetIn));
  return false;
}

/**
 * Counts the refusals of unauthenticated clients. Beyond the limit, a refused key gets 429 after a second; a valid key
 * is never refused because of others at its address. Requests refused before the key is checked have a counter of their
 * own; beyond the limit they also wait one second.
 */
export function refusalLimit(limiter: Limiter, slots: Slots) {
  return async (context: Context): Promise<void> => {
    const { because, client, subject } = context.state.call;
    const isRefusedKey = context.status === 401 && because !== 'no-key';
    if (!isRefusedKey && subject !== undefined) return;
    const network = networkOf(client);
    const count = await limiter.count(isRefusedKey ? network : `${network} without a key`);
    if (count.consumed <= limiter.rate.limit) return;
    await slots.delay(context);
    if (!isRefusedKey) return;
    answer(context, tooManyAttempts('failed-keys', count.resetIn));
    reportLimit(context, limiter.rate, count);
  };
}

/** The headers that report a limit (contract: limits). */
function reportLimit(context: Context, { limit }: Rate, { consumed, resetIn }: Count): void {
  context.set({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.max(limit - consumed, 0)),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + resetIn) / 1_000)),
  });
}

/** Removes these headers, which a 401 does not have. */
export function removeLimit(context: Context): void {
  for (const name of ['Limit', 'Remaining', 'Reset']) context.remove(`X-RateLimit-${name}`);
}
