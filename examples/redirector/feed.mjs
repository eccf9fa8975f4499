import { setTimeout as pause } from 'node:timers/promises';
import { complain } from './log.mjs';

/** One row for each campaign, however often it changed. `position` is the same in all. */
const look = `
  select position, campaign_id, max(change_id) as change_id from campaign_mirror.changes_since($1) group by 1, 2`;

/**
 * Asks again and again what changed since the last time, on one connection. A position belongs to a connection: on a new
 * one it asks for a new position, and nothing that was read before is known to be right.
 * @param {import('pg').Pool} pool for this alone, of one connection, whose `query_timeout` limits a look
 * @param {{ changed: (campaign: number, change: number) => void, anew: () => void }} listener
 * @param {{ interval: number, longestPause: number }} times in milliseconds
 */
export function followFeed(pool, { changed, anew }, { interval, longestPause }) {
  const end = new AbortController();
  const { signal } = end;
  /** When the last look began that was answered: all that was committed before is known. */
  let knownUntil = Number.NEGATIVE_INFINITY;

  /** @param {import('pg').PoolClient} client */
  async function lookAgainAndAgain(client) {
    /** @type {string | null} */
    let position = null;
    for (;;) {
      const began = performance.now();
      // After a process was stopped for long, a look would bring too much.
      if (position !== null && began - knownUntil > longestPause)
        throw new Error('the last look is too long ago');
      /** @type {import('pg').QueryResult} */
      const { rows } = await client.query(look, [position]);
      if (position === null) anew();
      else for (const row of rows) changed(Number(row.campaign_id), Number(row.change_id));
      position = rows[0]?.position ?? position;
      knownUntil = began;
      // On a standby, a look repeats what was changed beside a transaction that is still open: it may take long.
      await pause(Math.max(interval, performance.now() - began), undefined, { signal });
    }
  }

  async function follow() {
    while (!signal.aborted) {
      let client;
      try {
        client = await pool.connect();
        // A connection may end between two looks; the next look says why.
        client.on('error', () => {});
        await lookAgainAndAgain(client);
      } catch (error) {
        if (!signal.aborted) complain('changes are not followed, addresses are read every second', error);
      } finally {
        client?.release(true);
      }
      await pause(5 * interval, undefined, { signal }).catch(() => {});
    }
  }

  follow();
  return {
    /** The time, as `performance.now()` has it, until which every change is known. */
    knownUntil: () => knownUntil,
    stop: () => end.abort(),
  };
}
