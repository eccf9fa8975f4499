/** An answered request, for the log and the metrics: never the key, the body, or the target URL. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The caller's IP address, as far as trusted proxies report it; `-` if the connection was lost at once. */
  readonly client: string;
  /** The method as sent; `-` if it could not be parsed. */
  readonly method: string;
  /** The route's pattern, or `-` if none matches: never the path, which the caller chooses. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Why the status is not 200: the rule that refused the request, or the fault. */
  readonly because?: string | undefined;
  readonly campaign?: number | undefined;
  /** Who called, as the history names it, such as `key:17`; for a refused key too, where it was issued once. */
  readonly subject?: string | undefined;
  /** The caller did not wait for the answer. */
  readonly callerGone?: true | undefined;
  /** It was refused because of the load: a line for it would add to the load. */
  readonly overload?: true | undefined;
}

/** What the HTTP adapter reports. The app implements it. It must not throw. */
export interface HttpLog {
  /** Called once for each answer, those to input that never became a request included. */
  answered(request: AnsweredRequest): void;
  /** The error behind a 503 (`unavailable`) or a 500. */
  failed(requestId: string, error: unknown, because: 'unavailable' | 'unexpected'): void;
}

/** Reports nothing. */
export const silentLog: HttpLog = { answered: () => {}, failed: () => {} };
