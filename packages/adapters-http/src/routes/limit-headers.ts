import type { Count, Rate } from '../listener/limiter.ts';

/**
 * What an answer tells of a limit: the headers of the contract (limits), and those that are on their way to be a standard
 * (draft-ietf-httpapi-ratelimit-headers-11, by structured fields, RFC 9651). `policy` is the name of the limit.
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

  /** Names and values in turn. */
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
