import { setTimeout as pause } from 'node:timers/promises';
import { complain } from './log.mjs';

/** An update of a mirror waits for the statement that counts its clicks. This many campaigns take milliseconds. */
const atOnce = 200;

/**
 * Adds up the clicks of visitors, and writes them once a second. A failed write is retried.
 * @param {import('pg').Pool} pool of the primary, whose `query_timeout` is longer than a second
 * @param {{ second: number, maxClicked: number }} limits `second` in milliseconds
 */
export function countClicks(pool, { second, maxClicked }) {
  /** @type {Map<number, number>} */
  let waiting = new Map();
  const end = new AbortController();
  let late = Number.POSITIVE_INFINITY;

  /** @param {number} campaign @param {number} more */
  const add = (campaign, more) => waiting.set(campaign, (waiting.get(campaign) ?? 0) + more);

  /** @param {number} campaign */
  function count(campaign) {
    if (waiting.size < maxClicked || waiting.has(campaign)) add(campaign, 1);
    else complain('clicks are not counted', `those of ${maxClicked} campaigns wait to be written`);
  }

  /**
   * In one message: no mirror stays locked if this process ends now. With a time limit on the server: a write that we
   * give up is not counted. Works through a pooler, too.
   * @param {[campaign: number, clicks: number][]} counts
   * @returns {Promise<number[]>} the campaigns that are locked, to be counted later
   */
  async function write(counts) {
    const [campaigns, clicks] = [0, 1].map((column) => counts.map((count) => count[column]).join());
    const results = await pool.query(`begin; set local statement_timeout = '1s';
      select campaign_mirror.count_clicks('{${campaigns}}', '{${clicks}}') as campaign; commit`);
    return /** @type {any} */ (results)[2].rows.map((/** @type {any} */ row) => Number(row.campaign));
  }

  async function writeAll() {
    const due = waiting;
    waiting = new Map();
    const counts = [...due];
    for (let from = 0; from < counts.length; from += atOnce) {
      const some = counts.slice(from, from + atOnce);
      try {
        if (performance.now() > late) throw new Error('the time to end is over');
        for (const campaign of await write(some)) add(campaign, due.get(campaign) ?? 0);
      } catch (error) {
        complain('clicks are not written yet', error);
        // The others come first: one of these may be the cause.
        for (const [campaign, clicks] of [...counts.slice(from + atOnce), ...some]) add(campaign, clicks);
        return;
      }
    }
  }

  async function writeAgainAndAgain() {
    while (!end.signal.aborted) {
      await pause(second, undefined, { signal: end.signal }).catch(() => {});
      await writeAll();
    }
  }
  const writing = writeAgainAndAgain();

  /** Writes the rest. Resolves with the number of lost clicks. @param {number} limit in milliseconds */
  async function stop(limit) {
    late = performance.now() + limit;
    end.abort();
    await writing;
    while (waiting.size > 0 && performance.now() < late) {
      await pause(second / 5);
      await writeAll();
    }
    return [...waiting.values()].reduce((sum, clicks) => sum + clicks, 0);
  }
  return { count, stop };
}
