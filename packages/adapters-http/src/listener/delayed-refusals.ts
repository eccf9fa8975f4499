import type { Clock } from './clock.ts';

/** How long after its headers a request that exceeds the capacity is refused, in milliseconds. */
export const refusalDelay = 1_000;

/**
 * Requests whose refusal is delayed. A caller that is refused immediately retries immediately, and refusals use CPU
 * that requests need, so a caller that waits for each answer is refused at most once per delay. At most one request of
 * each connection waits here, so `MAX_CONNECTIONS` bounds them.
 */
export class DelayedRefusals<Request extends { readonly milliseconds: number }> {
  readonly #refuse: (request: Request) => void;
  readonly #clock: Clock;
  readonly #waiting = new Map<Request, NodeJS.Timeout>();
  #ended = false;

  constructor(refuse: (request: Request) => void, clock: Clock) {
    this.#refuse = refuse;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Refuses the request when the delay has passed since its headers, so that the last of many requests sent together
   * waits no longer than the first. After `end`, refuses it at once.
   */
  add(request: Request): void {
    const left = refusalDelay - request.milliseconds;
    if (this.#ended || left <= 0) {
      this.#refuse(request);
      return;
    }
    const timer = this.#clock.setTimeout(() => this.release(request), left);
    this.#waiting.set(request, timer);
  }

  /** Refuses a waiting request now, as when its caller has left. */
  release(request: Request): void {
    const timer = this.#waiting.get(request);
    if (!this.#waiting.delete(request)) return;
    this.#clock.clearTimeout(timer);
    this.#refuse(request);
  }

  /** Refuses all waiting requests now, and later ones at once. */
  end(): void {
    this.#ended = true;
    for (const request of this.#waiting.keys()) this.release(request);
  }
}
