import type { IncomingMessage } from 'node:http';
import type { AnsweredRequest, TraceIds } from './http-log.ts';

/** Records requests as spans of traces. The app implements it. It must not throw. */
export interface RequestTraces {
  /** Called for each request. Undefined if the request is not traced. */
  begin(request: IncomingMessage): RequestTrace | undefined;
  /** Carries out an untraced request, so that it does not join the trace of an earlier one on its connection. */
  without<Result>(carryOut: () => Result): Result;
}

/** A request in its trace. */
export interface RequestTrace extends TraceIds {
  /** Carries it out, so that what it asks of others is known to be asked for it. */
  within<Result>(carryOut: () => Result): Result;
  /** The error behind a 503 or a 500. */
  failed(error: unknown): void;
  /** Its one answer, and its end. */
  answered(request: AnsweredRequest): void;
}
