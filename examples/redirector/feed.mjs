import { setTimeout as pause } from 'node:timers/promises';
import { complain } from './log.mjs';

/** The last change of each campaign, in one value: a row for each would take this process more than twice the time. */
const poll = `
  select max(position) as position, pg_postmaster_start_time()::text as server,
    json_object_agg(campaign_id, change_id) filter (where campaign_id is not null) as changes
  from (select max(position) as position, campaign_id, max(change_id) as change_id
    from campaign_mirror.changes_since($1) group by campaign_id) as campaigns`;

/**
 * Polls for changes, on one connection. A position belongs to a connection: a new one begins with a new position, and
 * all earlier reads may be out of date.
 * @param {import('pg').Pool} pool for polls only, of one connection, whose `query_timeout` limits a poll
 * @param {{ changed: (campaign: number, change: number) => void, anew: () => void }} listener
 * @param {{ interval: number, second: number, longestPause: number }} times in milliseconds
 */
export function followFeed(pool, { changed, anew }, { interval, second, longestPause }) {
  const end = new AbortController();
  const { signal } = end;
  /** When the last poll was answered. */
  let heardAt = Number.NEGATIVE_INFINITY;
  /** @type {string | undefined} The server that answered that poll, by its start. */
  let server;
  /** @type {string[]} The server of the last answer, of a poll or a read, and the other server before it. */
  let servers = [];
  let isOneServer = true;

  /** @param {import('pg').PoolClient} client */
  async function pollRepeatedly(client) {
    /** @type {string | null} */
    let position = null;
    for (;;) {
      const began = performance.now();
      // After a long stop of this process, a poll would return too much.
      if (position !== null && began - heardAt > longestPause)
        throw new Error('the last poll is too long ago');
      /** @type {import('pg').QueryResult} */
      const { rows } = await client.query(poll, [position]);
      server = rows[0].server;
      // After a failover, and after one back.
      if (position === null) [servers, isOneServer] = [[], true];
      isOfFeed(rows[0].server);
      // After a stop of this process in between, the answer may be old.
      if (performance.now() - began > second) throw new Error('no answer within a second');
      if (position === null) anew();
      else
        for (const [campaign, change] of Object.entries(rows[0].changes ?? {}))
          changed(Number(campaign), change);
      position = rows[0].position ?? position;
      heardAt = performance.now();
      await pause(interval, undefined, { signal });
    }
  }

  /** Whether the feed polls the server that gave an answer. @param {string} answering */
  function isOfFeed(answering) {
    if (answering === servers[1]) {
      isOneServer = false;
      complain(
        'several servers answer',
        'READ_DATABASE_URL must lead to one; addresses are read every second, and may go back to older ones',
      );
    }
    if (answering !== servers[0]) servers = [answering, servers[0] ?? ''];
    return answering === server;
  }

  const tell = (/** @type {unknown} */ error) =>
    complain('changes are not followed, addresses are read every second', error);

  async function follow() {
    while (!signal.aborted) {
      let client;
      try {
        client = await pool.connect();
        // The connection may end between two polls; the next poll would not say why.
        client.on('error', tell);
        await pollRepeatedly(client);
      } catch (error) {
        if (!signal.aborted) tell(error);
      } finally {
        client?.release(true);
      }
      // Many redirectors may have lost a server at the same time.
      await pause((4 + 2 * Math.random()) * interval, undefined, { signal }).catch(() => {});
    }
  }

  follow();
  return {
    /** Whether a poll was answered in the last second: all changes before it are known. */
    isLive: () => performance.now() - heardAt < second,
    isOfFeed,
    /** Otherwise a read may give an older address than the one before it. */
    isOneServer: () => isOneServer,
    /** In seconds, since the last poll was answered; infinite before the first. */
    age: () => Math.round(performance.now() - heardAt) / 1_000,
    stop: () => end.abort(),
  };
}
