import type { Cleanup } from '../machine/run.ts';
import { query, withClient } from './server.ts';

/** How many campaigns are held at a time, and the seconds for which they are, and are not. */
const count = 20;
const times = { held: 0.5, free: 0.1 };

/**
 * Holds the mirrors of the same campaigns again and again until `end`, which resolves with the part of all updates that
 * were of other campaigns.
 */
export function holdLocks(url: URL, campaigns: number, cleanup: Cleanup) {
  const held = Array.from({ length: count }, (_, at) => 1 + Math.floor((at * campaigns) / count));
  const hold = `begin; select from campaign_mirror.mirrors where campaign_id in (${held}) order by id for update;
    select pg_sleep(${times.held}); commit; select pg_sleep(${times.free})`;
  let isEnded = false;
  const holding = withClient(url, async (client) => {
    while (!isEnded) await client.query(hold);
  });
  const end = async () => {
    isEnded = true;
    await holding;
  };
  cleanup.push(end);
  return async () => {
    await end();
    const others = 'select avg((campaign_id <> all($1))::int) as part from campaign_mirror.mirror_history';
    return Number((await query<{ part: string }>(url, others, [held]))[0]?.part);
  };
}
