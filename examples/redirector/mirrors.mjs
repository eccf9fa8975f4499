import { setTimeout as pause } from 'node:timers/promises';
import { followFeed } from './feed.mjs';
import { complain } from './log.mjs';

/** One character more than the service accepts shows that an address is too long, and is all that is kept of it. */
const read = `
  select left(target_url, 2049) as address, pg_postmaster_start_time()::text as server,
    to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
  from campaign_mirror.current_mirrors where campaign_id = $1`;
/** Those whose mirror is gone or different. */
const compare = `
  select kept.campaign_id from unnest($1::bigint[], $2::text[]) as kept (campaign_id, address)
  left join campaign_mirror.current_mirrors as mirrors on mirrors.campaign_id = kept.campaign_id
  where left(mirrors.target_url, 2049) is distinct from kept.address`;

/**
 * `updated_at` as the service answers it.
 * @typedef {{ address: string, updated_at: string }} Mirror
 * What is kept of a campaign. `mirror`: undefined if it was never read, null if there is none. `began`: when the read
 * began that gave it. `until`: when it has to be read again, if the feed does not tell. `isStale`: it has to be read
 * again then, even if the feed tells. `heard`: its last change that the feed told.
 * @typedef {{ mirror?: Mirror | null, began: number, until: number, isStale: boolean, heard: number,
 *   reading?: { began: number, answer: Promise<Mirror | null> } }} Kept
 */

/**
 * The addresses of campaigns, kept in memory. One is read when its campaign is visited for the first time, and for the
 * next visitor after it changed. The feed tells what changed; a sweep finds what no change tells: a deletion, and rows
 * that somebody wrote by hand.
 * @param {{ reads: import('pg').Pool, feed: import('pg').Pool }} pools of one server
 * @param {{ interval: number, second: number, longestPause: number, sweep: number, maxKept: number }} limits times in milliseconds
 */
export function keepMirrors(pools, limits) {
  /** @type {Map<number, Kept>} The first was visited the longest ago. */
  const all = new Map();
  const { interval, second, sweep: between, maxKept } = limits;
  /** After a read failed: until then, whoever has a known address does not wait for the next. */
  let awayUntil = 0;
  const end = new AbortController();

  /** A read that is under way may have begun before the change: it answers those who wait for it, and nobody after them. @param {Kept} kept */
  const makeStale = (kept) => Object.assign(kept, { isStale: true, until: 0, reading: undefined });

  const feed = followFeed(
    pools.feed,
    {
      changed(campaign, change) {
        const kept = all.get(campaign);
        // A standby repeats changes. Those of one campaign have rising numbers.
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
    // A process may have been stopped while it waited for an answer.
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
        // Even a stale one is the last known mirror, unless a later read gave another.
        if (began >= kept.began) Object.assign(kept, { mirror, began });
        if (kept.reading !== reading) return mirror;
        Object.assign(kept, { until: began + second, isStale, reading: undefined });
        if (mirror === null) setTimeout(forget, second, campaign, kept).unref();
        return mirror;
      },
      (error) => {
        complain('an address is not read', error);
        const { mirror } = kept;
        // The next read is another campaign's: the fault may be this one's.
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

  /** Numbers that are no campaign do not take the place of addresses. @param {number} campaign @param {Kept} kept */
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

  async function sweepAgainAndAgain() {
    while (!end.signal.aborted) {
      await sweep().catch((error) => complain('addresses are not compared', error));
      await pause(between, undefined, { signal: end.signal }).catch(() => {});
    }
  }
  sweepAgainAndAgain();

  function stop() {
    feed.stop();
    end.abort();
  }
  return { mirrorOf, pollAge: feed.age, isOneServer: feed.isOneServer, stop };
}
