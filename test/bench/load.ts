/** What the load generator is told once. */
export interface Targets {
  /** Campaigns from 1 up; campaign n belongs to key n modulo their number. */
  readonly campaigns: number;
  readonly keys: readonly string[];
}

/** One round. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Whose CPU time is taken at the beginning and the end of what is measured. */
  readonly service: number;
  readonly postmaster: number | undefined;
}

/** What came of it. Rates, latencies (milliseconds) and CPU time (microseconds a request) of the measured time only. */
export interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: {
    readonly service: number | undefined;
    readonly postgres: number | undefined;
    readonly generator: number;
  };
  /** Answers of 200 over the whole round, each about the address that was sent. */
  readonly set: number;
  /** How often anything else happened, by what it was. */
  readonly others: Readonly<Record<string, number>>;
}
