import type { Caller, CallLimit } from '@campaign-mirror/domain';
import type { Exchange } from '../listener/exchange.ts';
import type { Limiter } from '../listener/limiter.ts';
import { LimitHeaders, secondsLeft } from './limit-headers.ts';

/** A limit on the requests of each caller: each access key. */
export class KeyLimit {
  readonly #limiter: Limiter;
  readonly #headers: LimitHeaders;

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
    this.#headers = new LimitHeaders('key', limiter.rate);
  }

  /** The limit for one request, whose answer reports it. */
  of(exchange: Exchange): CountedCall {
    return new CountedCall(this.#limiter, this.#headers, exchange);
  }
}

/** Counts one request (contract: order of checks, 6). */
class CountedCall implements CallLimit {
  /** Seconds until the end of the window in which this request exceeds the limit. */
  secondsLeft = 0;
  readonly #limiter: Limiter;
  readonly #headers: LimitHeaders;
  readonly #exchange: Exchange;

  constructor(limiter: Limiter, headers: LimitHeaders, exchange: Exchange) {
    this.#limiter = limiter;
    this.#headers = headers;
    this.#exchange = exchange;
  }

  async admits(caller: Caller): Promise<boolean> {
    const count = await this.#limiter.count(caller.subject);
    if (!count) return true;
    this.#exchange.limitHeaders = this.#headers.of(count);
    this.secondsLeft = secondsLeft(count);
    return count.consumed <= this.#limiter.rate.limit;
  }
}
