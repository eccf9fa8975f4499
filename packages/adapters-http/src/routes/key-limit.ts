import type { CallLimit } from '@campaign-mirror/domain';
import type { Exchange } from '../listener/exchange.ts';
import type { Limiter } from '../listener/limiter.ts';
import { limitHeaders, secondsLeft } from './limit-headers.ts';

/** The limit for one request. */
interface CountedCall extends CallLimit {
  /** Seconds until the end of the window in which this request exceeds the limit. */
  secondsLeft: number;
}

/** A limit on the requests of each caller: each access key. The answer to a request reports it. */
export function keyLimit(limiter: Limiter): (exchange: Exchange) => CountedCall {
  const headersOf = limitHeaders('key', limiter.rate);
  return (exchange) => ({
    secondsLeft: 0,
    /** Counts the request (contract: order of checks, 6). */
    async admits(caller) {
      const count = await limiter.count(caller.subject);
      if (!count) return true;
      exchange.limitHeaders = headersOf(count);
      this.secondsLeft = secondsLeft(count);
      return count.consumed <= limiter.rate.limit;
    },
  });
}
