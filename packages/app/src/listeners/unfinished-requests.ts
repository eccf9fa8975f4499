import type { Unfinished } from '@campaign-mirror/adapters-http';
import type { Life } from '../process/life.ts';

/** The maximum number of requests named, the longest-running first; the others are counted. */
const mostNamed = 20;

/** Logs the requests that were unfinished at SHUTDOWN_TIMEOUT. */
export function tellOfUnfinished(left: readonly Unfinished[], life: Life): void {
  const longestFirst = left.toSorted((one, other) => other.milliseconds - one.milliseconds);
  for (const one of longestFirst.slice(0, mostNamed)) {
    const milliseconds = Math.round(one.milliseconds);
    const { trace, ...named } = one;
    life.hung('http', `a request was unfinished after ${milliseconds} ms and got 503`, {
      ...named,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      milliseconds,
    });
  }
  const more = left.length - mostNamed;
  if (more > 0) life.hung('http', `${more} more requests were unfinished and got 503`, { more });
}
