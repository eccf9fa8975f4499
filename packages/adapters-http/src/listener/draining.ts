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

/** How a listener drains. */
export interface Draining {
  /**
   * Idle connections can still send one request, and close with its answer, so that no caller finds its connection
   * closed as it sends. Otherwise they are closed immediately.
   */
  readonly letIdleAsk?: boolean;
  /** Receives each request that is abandoned, at that moment. */
  readonly onGivenUp?: (left: readonly Unfinished[]) => void;
}

export function unfinished(exchange: Exchange): Unfinished {
  const { requestId, request, route, milliseconds, trace } = exchange;
  return { requestId, method: request.method ?? '-', route, milliseconds, ...(trace && { trace }) };
}
