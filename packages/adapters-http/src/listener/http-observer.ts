/**
 * Hears of every answer, for metrics and traces. The app fills it. It is called with each request, so it has to be
 * cheap, and it must not throw.
 */
export interface HttpObserver {
  /**
   * An answer was given, one that overload refused and one that the parser made included. `method` and `route` are
   * those of `AnsweredRequest`. By plain values: nothing is put together for it.
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

export const silentHttpObserver: HttpObserver = { answered: () => {} };
