import { setTimeout as pause } from 'node:timers/promises';
import { followFeed } from './feed.mjs';
import { complain } from './log.mjs';

/** With one character more than the service accepts, an address is recognized as too long, and cut. */
const read = `
  select left(target_url, 2049) as address, pg_postmaster_start_time()::text as server,
    to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
  from campaign_mirror.current_mirrors where campaign_id = $1`;
/** The campaigns whose mirror is gone or different. */
const compare = `
  select kept.campaign_id from unnest($1::bigint[], $2::text[]) as kept (campaign_id, address)
  left join campaign_mirror.current_mirrors as mirrors on mirrors.campaign_id = kept.campaign_id
  where left(mirrors.target_url, 2049) is distinct from kept.address`;

/**
 * `updated_at` as the service answers it.
 * @typedef {{ address: string, updated_at: string }} Mirror
 * A known campaign. `mirror`: undefined before the first read, null without a mirror. `began`: the begin of the read
 * that gave it. `until`: it is read again after that, unless polls succeed. `isStale`: it is read again even then.
 * `heard`: its last change that a poll reported.
 * @typedef {{ mirror?: Mirror | null, began: number, until: number, isStale: boolean, heard: number,
 *   reading?: { began: number, answer: Promise<Mirror | null> } }} Kept
 * @typedef {{ interval: number, second: number, longestPause: number, sweep: number, maxKept: number }} Limits
 */

/**
 * The addresses of campaigns, in memory. An address is read at the first visit of its campaign, and at the next visit
 * after a change. Polls report changes; a sweep finds the others: deletions, and rows that were modified manually.
 * @param {{ reads: import('pg').Pool, feed: import('pg').Pool }} pools of one server
 * @param {Limits} limits times in milliseconds
 */
export function keepMirrors(pools, limits) {
  /** @type {Map<number, Kept>} The least recently visited campaign is the first. */
  const all = new Map();
  const { interval, second, sweep: between, maxKept } = limits;
  /** After a failed read: until this time, visitors of known addresses do not wait for a read. */
  let awayUntil = 0;
  const end = new AbortController();

  /** A read in progress may have begun before the change: later visitors do not use it. @param {Kept} kept */
  const makeStale = (kept) => Object.assign(kept, { isStale: true, until: 0, reading: undefined });

  const feed = followFeed(
    pools.feed,
    {
      changed(campaign, change) {
        const kept = all.get(campaign);
        // A standby repeats changes. The numbers of a campaign's changes rise.
        if (kept && change > kept.heard) makeStale(kept).heard = change;
      },
      anew() {
        awayUntil = 0;
        for (const kept of all.values()) makeStale(kept).heard = 0;
      },
    },
    limits,
  );

  /**
   * A campaign's mirror; null if there is none. Waits for at most a second.
   * @param {number} campaign @returns {Promise<Mirror | null>} @throws if it cannot be read, and never was
   */
  async function mirrorOf(campaign) {
    /** @type {Kept} */
    const kept = all.get(campaign) ?? { began: 0, until: 0, isStale: true, heard: 0 };
    all.delete(campaign);
    all.set(campaign, kept);
    if (all.size > maxKept) all.delete(/** @type {number} */ (all.keys().next().value));
    const now = performance.now();
    const isNewEnough = now < kept.until || now < awayUntil || (feed.isLive() && !kept.isStale);
    if (kept.mirror !== undefined && isNewEnough) return kept.mirror;
    // This process may have been stopped while it waited.
    if (kept.reading && now - kept.reading.began < second) return kept.reading.answer;
    if (awayUntil > 0 && kept.mirror !== undefined) awayUntil = now + second;
    return readAgain(campaign, kept, now);
  }

  /** @param {number} campaign @param {Kept} kept @param {number} began */
  function readAgain(campaign, kept, began) {
    const answer = withinASecond(pools.reads.query(read, [campaign])).then(
      ({ rows: [row] }) => {
        awayUntil = 0;
        const mirror = row ? { address: row.address, updated_at: row.updated_at } : null;
        const isStale = !row || !feed.isOfFeed(row.server);
        // A stale mirror is the last known one, unless a later read gave another.
        if (began >= kept.began) Object.assign(kept, { mirror, began });
        if (kept.reading !== reading) return mirror;
        Object.assign(kept, { until: began + second, isStale, reading: undefined });
        if (mirror === null) setTimeout(forget, second, campaign, kept).unref();
        return mirror;
      },
      (error) => {
        complain('an address is not read', error);
        const { mirror } = kept;
        // The next read is for another campaign: this one may be the cause.
        if (kept.reading === reading) Object.assign(kept, { until: began + 2 * second, reading: undefined });
        if (mirror) {
          awayUntil = performance.now() + interval;
          return mirror;
        }
        forget(campaign, kept);
        throw error;
      },
    );
    const reading = { began, answer };
    kept.reading = reading;
    return answer;
  }

  /** Unknown campaigns must not displace addresses. @param {number} campaign @param {Kept} kept */
  function forget(campaign, kept) {
    if (all.get(campaign) === kept && !kept.mirror && !kept.reading) all.delete(campaign);
  }

  /** @template T @param {Promise<T>} promise @returns {Promise<T>} */
  function withinASecond(promise) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer within a second')), second);
    });
    return Promise.race([promise, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
  }

  async function sweep() {
    const known = [...all].filter(([, { mirror, isStale }]) => mirror && !isStale);
    for (let from = 0; from < known.length; from += 1_000) {
      const some = known.slice(from, from + 1_000);
      const addresses = some.map(([, { mirror }]) => mirror?.address);
      const { rows } = await pools.reads.query(compare, [some.map(([campaign]) => campaign), addresses]);
      for (const { campaign_id } of rows) {
        const kept = all.get(Number(campaign_id));
        if (kept) makeStale(kept);
      }
    }
  }

  async function sweepRepeatedly() {
    while (!end.signal.aborted) {
      await sweep().catch((error) => complain('addresses are not compared', error));
      await pause(between, undefined, { signal: end.signal }).catch(() => {});
    }
  }
  sweepRepeatedly();

  function stop() {
    feed.stop();
    end.abort();
  }
  return { mirrorOf, pollAge: feed.age, isOneServer: feed.isOneServer, stop };
}
