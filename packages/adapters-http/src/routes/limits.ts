import type { CallLimit } from '@campaign-mirror/domain';
import { answer, type Context } from '../chain/calls.ts';
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

/** A limit on the requests of each caller: each access key. The answer to a request reports it. */
export function keyLimit(limiter: Limiter): (context: Context) => CallLimit {
  return (context) => ({
    /** Counts the request (contract: order of checks, 6). */
    async admits(caller) {
      const count = await limiter.count(caller.subject);
      if (!count) return { admitted: true, resetIn: 0 };
      context.set(limitHeaders(limiter.rate, count));
      return { admitted: count.consumed <= limiter.rate.limit, resetIn: count.resetIn };
    },
  });
}

const limitHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Removes the headers of a key that was counted before it was found to be invalid: each 401 is the same. */
export function withoutLimit(context: Context): void {
  for (const name of limitHeaderNames) context.remove(name);
}

/**
 * Answers a refused key, the same whether or not it was looked up: 401, or 429 if the address has sent too many of them.
 * Each key is checked first, so a valid key is never refused because of others at its address. A 401 does not show the
 * count.
 */
export function keyRefusal(limiter: Limiter | undefined) {
  return async (context: Context, refusal: Reply): Promise<void> => {
    const count = await limiter?.count(networkOf(context.state.call.client));
    if (!limiter || !count || count.consumed <= limiter.rate.limit) return answer(context, refusal);
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
