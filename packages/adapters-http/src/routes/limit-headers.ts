import type { Count, Rate } from '../listener/limiter.ts';

/**
 * The headers that report a limit: those of the contract (limits), and those of the draft standard
 * (draft-ietf-httpapi-ratelimit-headers-11, structured fields of RFC 9651). `policy` is the name of the limit.
 */
export class LimitHeaders {
  readonly #rate: Rate;
  readonly #policy: string;
  readonly #limit: string;
  readonly #quota: string;

  constructor(policy: string, rate: Rate) {
    this.#rate = rate;
    this.#policy = JSON.stringify(policy);
    this.#limit = String(rate.limit);
    this.#quota = `${this.#policy};q=${rate.limit};w=${rate.seconds}`;
  }

  /** Names and values, alternating. */
  of({ consumed, resetIn }: Count): readonly string[] {
    const remaining = Math.max(this.#rate.limit - consumed, 0);
    return [
      'X-RateLimit-Limit',
      this.#limit,
      'X-RateLimit-Remaining',
      String(remaining),
      'X-RateLimit-Reset',
      String(Math.ceil((Date.now() + resetIn) / 1_000)),
      'RateLimit-Policy',
      this.#quota,
      'RateLimit',
      `${this.#policy};r=${remaining};t=${secondsLeft({ resetIn })}`,
    ];
  }
}

/** The rest of the window in whole seconds, rounded up so that a caller that waits this long is in the next window. */
export function secondsLeft({ resetIn }: Pick<Count, 'resetIn'>): number {
  return Math.ceil(resetIn / 1_000);
}
