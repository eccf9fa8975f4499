/** Where a request stands in a trace, as W3C Trace Context writes it: in lower-case hexadecimal digits. */
export interface TraceIds {
  /** 32 of them. */
  readonly traceId: string;
  /** 16 of them: the span of the request, where it is recorded. */
  readonly spanId?: string;
}

/** A request that was answered, for the log: never the key, the body, or the address that was set. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The IP address that it came from, as far as trusted proxies tell; `-` where the connection was gone at once. */
  readonly client: string;
  /** As it was sent; `-` where the parser did not get that far. */
  readonly method: string;
  /** The route's pattern, or `-` where there is none: never the path, which callers choose. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Why it was not 200: the rule that refused, or what was wrong. */
  readonly because?: string | undefined;
  readonly campaign?: number | undefined;
  /** The caller did not wait for the answer. */
  readonly callerGone?: true | undefined;
  /** Where requests are traced. */
  readonly trace?: TraceIds | undefined;
}

/** What the HTTP adapter tells of itself. The app fills it. */
export interface HttpLog {
  answered(request: AnsweredRequest): void;
  /** A fault behind an answer: 503 (`unavailable`) or 500. */
  failed(
    requestId: string,
    error: unknown,
    because: 'unavailable' | 'unexpected',
    trace?: TraceIds | undefined,
  ): void;
}

export const silentLog: HttpLog = { answered: () => {}, failed: () => {} };
