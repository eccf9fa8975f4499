import { answer, type Context, type Middleware } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import { networkOf } from '../chain/client-address.ts';
import { tooManyAttempts } from '../chain/replies.ts';

/** How many calls, at least 1, a window admits, which begins with its first call. */
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
  /** Counts one more call. Undefined if it cannot be counted, but is allowed. @throws Unavailable if it is not */
  count(who: string): Promise<Count | undefined>;
}

/** How often callers may call. */
export interface CallLimits {
  /** For each valid key. */
  readonly keys?: Limiter | undefined;
  /** For refused keys and, apart from them, what is refused before a key is looked up, by address. */
  readonly failedKeys?: Limiter | undefined;
}

/** Check 6: the rate of each caller, whose answers report it. */
export function keyLimit(limiter: Limiter): Middleware {
  return async (context, next) => {
    const count = await limiter.count(context.state.call.subject ?? '');
    if (!count) return next();
    context.set(limitHeaders(limiter.rate, count));
    if (count.consumed <= limiter.rate.limit) return next();
    answer(context, tooManyAttempts('rate', count.resetIn));
  };
}

/** What no 401 shows. */
export const limitHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/**
 * Counts what strangers are refused. Beyond the limit a refused key is 429, whether or not it was looked up. That comes
 * only after a second, and so does what is refused before a key is looked up. A key is checked first, so a valid one is
 * never refused because of others at its address.
 */
export function strangersLimit(limiter: Limiter, capacity: Capacity) {
  return async (context: Context): Promise<void> => {
    const { because, client, subject } = context.state.call;
    const isRefusedKey = context.status === 401 && because !== 'no-key';
    if (!isRefusedKey && subject !== undefined) return;
    const network = networkOf(client);
    const count = await limiter.count(isRefusedKey ? network : `${network} without a key`);
    if (!count || count.consumed <= limiter.rate.limit) return;
    await capacity.hold(context);
    if (!isRefusedKey) return;
    answer(context, tooManyAttempts('failed-keys', count.resetIn));
    context.set(limitHeaders(limiter.rate, count));
  };
}

/** The headers that report a limit (contract: limits). */
function limitHeaders({ limit }: Rate, { consumed, resetIn }: Count): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.max(limit - consumed, 0)),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + resetIn) / 1_000)),
  };
}
