import { answer, type Context, type Middleware } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import { networkOf } from '../chain/client-address.ts';
import { type Reply, tooManyAttempts } from '../chain/replies.ts';

/** A limit per window. */
export interface Rate {
  /** The number of calls in a window, at least 1. */
  readonly limit: number;
  /** The length of a window, which begins with its first call. */
  readonly seconds: number;
}

/** The state of a window. */
export interface Count {
  /** The number of calls in the window, including this one. */
  readonly consumed: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
}

/** Counts calls, separately for each `who`. The app implements it. */
export interface Limiter {
  readonly rate: Rate;
  /**
   * Counts one more call. Undefined if it cannot be counted but is allowed anyway.
   * @throws Unavailable if it cannot be counted and is not allowed
   */
  count(who: string): Promise<Count | undefined>;
}

/** How often callers may call. */
export interface CallLimits {
  /** For each valid key. */
  readonly keys?: Limiter | undefined;
  /** For refused keys, by the address that sends them. */
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

const limitHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/**
 * Answers a refused key, the same whether or not it was looked up: 401, or 429 if the address has sent too many of them,
 * and with a `capacity` only after a second. Each key is checked first, so a valid key is never refused because of others
 * at its address. A 401 shows neither that count nor the one of a key that was counted before it was found to be invalid.
 */
export function keyRefusal({
  limits,
  capacity,
}: {
  limits?: CallLimits | undefined;
  capacity?: Capacity | undefined;
}) {
  const limiter = limits?.failedKeys;
  return async (context: Context, refusal: Reply): Promise<void> => {
    for (const name of limitHeaderNames) context.remove(name);
    const count = await limiter?.count(networkOf(context.state.call.client));
    if (!limiter || !count || count.consumed <= limiter.rate.limit) return answer(context, refusal);
    await capacity?.hold(context);
    context.set(limitHeaders(limiter.rate, count));
    answer(context, tooManyAttempts('failed-keys', count.resetIn));
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
