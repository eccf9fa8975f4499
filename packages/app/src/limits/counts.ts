import type { Count, Rate } from '@campaign-mirror/adapters-http';

/** The limits, by their names in messages and stores. */
export type LimitName = 'key' | 'failed-keys';

/** Stores how often something happened, for one limit. */
export interface Counts {
  /** Counts one more. Rejects within a bounded time where that is impossible. */
  count(who: string): Promise<Count>;
}

/** Where the counts of a limit are kept. */
export type CountsOf = (limit: LimitName, rate: Rate) => Counts;

/** Where counts are kept, and how to close it. */
export interface Store {
  readonly countsOf: CountsOf;
  close(): void;
}
