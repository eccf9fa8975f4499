import type { Count } from '@campaign-mirror/adapters-http';

/** The limits there are, by the names that messages and stores have for them. */
export type LimitName = 'key' | 'failed-keys';

/** Where it is kept how often something happened, of one limit. */
export interface Counts {
  /** Counts once more. Rejects within a bounded time where that cannot be. */
  count(who: string): Promise<Count>;
}
