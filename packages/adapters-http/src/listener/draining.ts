import type { Exchange } from './exchange.ts';
import type { TraceIds } from './http-log.ts';

/** A request that was given up: it hung for so long, in milliseconds. */
export interface Unfinished {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, or `-`. */
  readonly route: string;
  readonly milliseconds: number;
  readonly trace?: TraceIds;
}

/** How a listener comes to its end. */
export interface Draining {
  /**
   * Connections that idle may still ask once, and end with the answer: no caller finds its connection closed in the
   * moment in which it asks. Else they are closed at once.
   */
  readonly letIdleAsk?: boolean;
  /** Hears what is given up, at the moment when it is. */
  readonly onGivenUp?: (left: readonly Unfinished[]) => void;
}

export function unfinished(exchange: Exchange): Unfinished {
  const { requestId, request, route, milliseconds, trace } = exchange;
  return { requestId, method: request.method ?? '-', route, milliseconds, ...(trace && { trace }) };
}
