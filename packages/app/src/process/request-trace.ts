import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnsweredRequest } from '@campaign-mirror/adapters-http';

/** A request in its trace, by identifiers in lower-case hexadecimal digits as in W3C Trace Context. */
export interface RequestTrace {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits: the span of the request, if it is recorded. */
  readonly spanId?: string;
  /** The error behind a 503 or a 500. */
  failed(error: unknown): void;
  /** Its one answer, and its end. */
  answered(request: AnsweredRequest): void;
}

/** Of the request that is carried out; undefined where it has none. */
export const requestTrace = new AsyncLocalStorage<RequestTrace | undefined>();
