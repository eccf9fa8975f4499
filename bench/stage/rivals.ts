import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../databases/database.ts';

/** Who works on the rows of one campaign beside the service. */
export interface Rivals {
  readonly name: string;
  readonly count: number;
  /** What each does again and again, given the campaign as `$1`; milliseconds. */
  readonly text: string;
  readonly holdFor: number;
  readonly freeFor: number;
}

/** Hold the mirror's row for most of the time, such as a slow transaction of a redirector. */
export const holders: Rivals = {
  name: '2 rivals that hold the mirror for 20 ms and leave it for 5',
  count: 2,
  text: 'select from campaign_mirror.mirrors where campaign_id = $1 for update',
  holdFor: 20,
  freeFor: 5,
};

/** Count clicks, as a redirector does, as fast as they can. */
export const clickers: Rivals = {
  name: '8 rivals that count clicks',
  count: 8,
  text: 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1',
  holdFor: 0,
  freeFor: 0,
};

/** Has them at work from now until what is given back is called. */
export function startRivals({ count, text, holdFor, freeFor }: Rivals, database: Database, campaign: number) {
  let over = false;
  const work = Array.from({ length: count }, () =>
    database.session(async (client) => {
      while (!over) {
        await client.query('begin');
        await client.query(text, [campaign]);
        if (holdFor > 0) await pause(holdFor);
        await client.query('commit');
        if (freeFor > 0) await pause(freeFor);
      }
    }),
  );
  return async () => {
    over = true;
    await Promise.all(work);
  };
}
