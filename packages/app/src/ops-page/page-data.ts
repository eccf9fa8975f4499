import {
  demonstrationCampaign,
  expiringKeys,
  recentMoves,
  withTimeLimit,
} from '@campaign-mirror/adapters-persistence/sql';
import { type CampaignId, Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-events.ts';
import { atMostEvery } from '../process/readiness.ts';

/** For an answer, in milliseconds. */
const timeout = 1_000;
/** Between two questions, however often a page is loaded, in milliseconds. */
const betweenLists = 30_000;
const betweenLooks = 5_000;
/** A fault repeats; milliseconds. */
const betweenFaults = 60_000;

export type PageData = ReturnType<typeof pageData>;

/** Where the service has no database. */
export const nothingToShow: PageData = {
  lists: async () => ({ keys: [], moves: [] }),
  demonstration: async () => undefined,
};

/** What the pages show of the database. Where it does not answer in time, it is unknown; nothing rejects. */
export function pageData(pool: Pool, log: Log) {
  const throttle = throttled(betweenFaults);
  const known = <T>(read: () => Promise<T>) =>
    withTimeLimit(timeout, read()).catch((error): undefined => {
      // The page says that the database is away.
      if (error instanceof Unavailable) return;
      const line = 'the database does not tell what a page shows';
      throttle((suppressed) => log.error({ event: 'page-failed', suppressed, err: error }, line));
    });
  return {
    lists: atMostEvery(betweenLists, async () => {
      const found = await known(async () => ({
        keys: await expiringKeys(pool),
        moves: await recentMoves(pool),
      }));
      return found ?? { keys: null, moves: null };
    }),
    /** The campaign of the demonstration set, where there is one. */
    demonstration: atMostEvery<CampaignId | undefined>(betweenLooks, () =>
      known(() => demonstrationCampaign(pool)),
    ),
  };
}
