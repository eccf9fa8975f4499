import type { IncomingMessage } from 'node:http';
import type { AnsweredRequest, TraceIds } from './http-log.ts';

/** Where requests become spans of traces. The app fills it; without it none does. It must not throw. */
export interface RequestTraces {
  /** A request has come, and is not one too many. Undefined where it is in no trace. */
  begin(request: IncomingMessage): RequestTrace | undefined;
  /** Carries out one that is in none, so that it is not taken for a part of what was before it on its connection. */
  without(carryOut: () => void): void;
}

/** A request in its trace. */
export interface RequestTrace extends TraceIds {
  /** Carries it out, so that what it asks of others is known to be asked for it. */
  within(carryOut: () => void): void;
  /** The fault behind its answer: 503 or 500. */
  failed(error: unknown): void;
  /** Its one answer, and its end. One that is turned away after all has none. */
  answered(request: AnsweredRequest): void;
}
