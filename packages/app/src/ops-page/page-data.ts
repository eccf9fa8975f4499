import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { demonstrationCampaign, expiringKeys, recentMoves } from '@campaign-mirror/adapters-persistence/sql';
import { type CampaignId, Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { type Log, throttled } from '../logging/log-events.ts';
import { atMostEvery } from '../process/readiness.ts';

/** The minimum time between two queries, however often a page is loaded, in milliseconds. */
const betweenLists = 30_000;
const betweenLooks = 5_000;

export type PageData = ReturnType<typeof pageData>;

/** For a service without a database. */
export const nothingToShow: PageData = {
  lists: async () => ({ keys: [], moves: [] }),
  demonstration: async () => undefined,
};

/** What the pages show of the database: null or undefined if it does not answer within the limits of the pool. Nothing rejects. */
export function pageData(pool: Pool, log: Log) {
  const report = throttled(log, 'error');
  const orUndefined = <T>(read: () => Promise<T>) =>
    read().catch((error): undefined => {
      // The page itself shows that the database is unavailable.
      if (error instanceof Unavailable) return;
      report({ event: 'page-failed', err: error }, 'the database does not answer what a page shows');
    });
  return {
    lists: atMostEvery(betweenLists, async () => {
      const lists = await orUndefined(async () => ({
        keys: (await expiringKeys(pool)).map((key) => ({ ...key, name: printable(key.name) })),
        moves: await recentMoves(pool),
      }));
      return lists ?? { keys: null, moves: null };
    }),
    /** The campaign of the demonstration set, if there is one. */
    demonstration: atMostEvery<CampaignId | undefined>(betweenLooks, () =>
      orUndefined(() => demonstrationCampaign(pool)),
    ),
  };
}
