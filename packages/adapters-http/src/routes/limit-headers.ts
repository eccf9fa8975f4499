import type { Count, Rate } from '../listener/limiter.ts';

/**
 * The headers that report a limit: those of the contract (limits), and those of the draft standard
 * (draft-ietf-httpapi-ratelimit-headers-11, structured fields of RFC 9651). `policy` is the name of the limit. Names
 * and values, alternating.
 */
export function limitHeaders(policy: string, { limit, seconds }: Rate): (count: Count) => readonly string[] {
  const name = JSON.stringify(policy);
  return ({ consumed, resetIn }) => {
    const remaining = Math.max(limit - consumed, 0);
    return [
      'X-RateLimit-Limit',
      String(limit),
      'X-RateLimit-Remaining',
      String(remaining),
      'X-RateLimit-Reset',
      String(Math.ceil((Date.now() + resetIn) / 1_000)),
      'RateLimit-Policy',
      `${name};q=${limit};w=${seconds}`,
      'RateLimit',
      `${name};r=${remaining};t=${secondsLeft({ resetIn })}`,
    ];
  };
}

/** The rest of the window in whole seconds, rounded up so that a caller that waits this long is in the next window. */
export function secondsLeft({ resetIn }: Pick<Count, 'resetIn'>): number {
  return Math.ceil(resetIn / 1_000);
}
