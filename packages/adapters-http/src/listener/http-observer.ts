/**
 * Is called with every answer, for metrics and traces; the app implements it. It must be cheap and must not throw.
 */
export interface HttpObserver {
  /**
   * An answer was given, including refusals by overload and answers of the parser. `method` and `route` are those of
   * `AnsweredRequest`. Plain values, so that no object is created for the call.
   */
  answered(
    method: string,
    route: string,
    status: number,
    milliseconds: number,
    because: string | undefined,
    callerGone: boolean,
  ): void;
}

/** Observes nothing. */
export const silentHttpObserver: HttpObserver = { answered: () => {} };
