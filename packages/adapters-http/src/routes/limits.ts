import { answer, type Context } from '../chain/calls.ts';
import { networkOf } from '../chain/client-address.ts';
import { tooManyAttempts } from '../chain/replies.ts';
import type { Slots } from '../chain/slots.ts';

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
  /** Counts one more call. @throws Unavailable if it cannot be counted */
  count(who: string): Promise<Count>;
}

/** How often callers may call. */
export interface CallLimits {
  /** For each valid key. */
  readonly keys?: Limiter | undefined;
  /** For refused keys and, apart from them, what is refused before a key is looked up, by address. */
  readonly failedKeys?: Limiter | undefined;
}

/** Check 6: counts a call of the caller. False if it is beyond the limit, and was answered so. */
export async function withinLimit(limiter: Limiter, context: Context): Promise<boolean> {
  const count = await limiter.count(context.state.call.subject ?? '');
  reportLimit(context, limiter.rate, count);
  if (count.consumed <= limiter.rate.limit) return true;
  answer(context, tooManyAttempts('rate', count.resetIn));
  return false;
}

/**
 * Counts what strangers are refused. Beyond the limit a refused key gets 429 after a second; a valid key is never refused
 * because of others at its address. What is refused before a key is looked up has a count of its own; beyond the limit its
 * answer also waits for a second.
 */
export function strangersLimit(limiter: Limiter, slots: Slots) {
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

/** Because no 401 shows them. */
export function removeLimit(context: Context): void {
  for (const name of ['Limit', 'Remaining', 'Reset']) context.remove(`X-RateLimit-${name}`);
}
