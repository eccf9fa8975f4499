/** How long a caller may take, in milliseconds. Node enforces them. */
export interface TimeLimits {
  /** For the headers of a request, from its first byte or the beginning of the connection. */
  readonly headersTimeout: number;
  /** For the whole request. Not below `headersTimeout`. */
  readonly requestTimeout: number;
  /** Until the next request on the connection. */
  readonly keepAliveTimeout: number;
}

/** Where none are given. */
export const timeLimits: TimeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
};
