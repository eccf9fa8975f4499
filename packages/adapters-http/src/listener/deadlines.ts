import type { Exchange } from './exchange.ts';

/** How long a caller may take, in milliseconds. */
export interface Deadlines {
  /** For the headers of a request, from its first byte or the beginning of the connection. */
  readonly headersTimeout: number;
  /** For its body, from the end of its headers. */
  readonly bodyTimeout: number;
  /** For the whole request, and also for carrying it out. Not below `headersTimeout`. */
  readonly requestTimeout: number;
  /** For reading the answer. */
  readonly answerTimeout: number;
  /** Until the next request on the connection. */
  readonly keepAliveTimeout: number;
  /** How often all but `keepAliveTimeout` are checked. */
  readonly connectionsCheckingInterval: number;
}

/** The deadlines where none are given. */
export const defaultDeadlines: Deadlines = {
  headersTimeout: 10_000,
  bodyTimeout: 15_000,
  requestTimeout: 30_000,
  answerTimeout: 30_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
};

/** Which of the deadlines that Node does not enforce the first open exchange of a connection has missed. */
export function missedDeadline(
  { request, began, answeredAt }: Exchange,
  deadlines: Deadlines,
  now: number,
): 'body' | 'request' | 'answer' | undefined {
  if (answeredAt !== undefined) return now - answeredAt > deadlines.answerTimeout ? 'answer' : undefined;
  if (!request.complete) return now - began > deadlines.bodyTimeout ? 'body' : undefined;
  return now - began > deadlines.requestTimeout ? 'request' : undefined;
}
