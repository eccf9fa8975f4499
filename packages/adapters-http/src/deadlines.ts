/** How long a caller has for its headers, for its whole request; how long a connection may idle. Milliseconds. */
export interface Deadlines {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  /** How often the first two are looked after. */
  readonly connectionsCheckingInterval: number;
}

export const defaultDeadlines: Deadlines = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
};
