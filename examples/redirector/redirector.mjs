import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setInterval } from 'node:timers/promises';

/** How long an address is used until it is read again, and how often clicks are written, in milliseconds. */
const interval = 1_000;
/** The maximum number of addresses that are kept. */
const maxMirrors = 100_000;
const headers = { 'Cache-Control': 'no-store', 'Content-Length': 0 };

/**
 * The address with `{click_id}` filled in. Everything else, including other macros, stays as it is; only characters outside
 * ASCII, which a header cannot contain, are encoded.
 * @param {string} address @param {string} clickId
 */
function location(address, clickId) {
  const url = address.replaceAll('{click_id}', encodeURIComponent(clickId));
  if (/^[!-~]*$/.test(url)) return url;
  const withAsciiHost = url.replace(/(?<=^\w+:\/\/)[^/?#]*[^!-~/?#][^/?#]*/, () => new URL(url).host);
  return withAsciiHost.replace(/[^!-~]+/g, encodeURIComponent);
}

/** The visitor's `click_id`, if it has at most 200 characters; otherwise a new one. @param {string} query */
function clickIdOf(query) {
  const clickId = new URLSearchParams(query).get('click_id');
  return clickId && clickId.length <= 200 ? clickId : randomUUID();
}

/**
 * Sends visitors of `/c/{campaign}` to its mirror, and counts their clicks. `stop` ends it when all clicks are written.
 * @param {Pick<import('pg').Pool, 'query'>} pool
 */
export function redirector(pool) {
  /** @type {Map<string, { url: Promise<string | undefined>, until: number }>} */
  const mirrors = new Map();
  /** @type {Map<string, number>} */
  const clicks = new Map();

  /** @param {string} campaign @returns {Promise<string | undefined>} */
  async function read(campaign) {
    const text = 'select target_url from campaign_mirror.current_mirrors where campaign_id = $1';
    return (await pool.query(text, [campaign])).rows[0]?.target_url;
  }

  /** @param {string} campaign */
  function mirrorOf(campaign) {
    const kept = mirrors.get(campaign);
    if (kept && kept.until > performance.now()) return kept.url;
    mirrors.delete(campaign);
    // The first one was read the longest ago.
    const [oldest] = mirrors.keys();
    if (oldest !== undefined && mirrors.size >= maxMirrors) mirrors.delete(oldest);
    const url = read(campaign).catch((error) => {
      // While the database is unavailable, visitors go to the last known address.
      if (kept) return kept.url;
      mirrors.delete(campaign);
      throw error;
    });
    mirrors.set(campaign, { url, until: performance.now() + interval });
    return url;
  }

  /** @param {string} campaign @param {number} more */
  const add = (campaign, more) => clicks.set(campaign, (clicks.get(campaign) ?? 0) + more);

  /** What is locked is counted again with the next. */
  async function write() {
    const text = 'select campaign_mirror.count_clicks(array[$1::bigint], array[$2::bigint])';
    for (const [campaign, more] of [...clicks]) {
      clicks.delete(campaign);
      try {
        if ((await pool.query(text, [campaign, more])).rowCount) add(campaign, more);
      } catch (error) {
        add(campaign, more);
        console.error('clicks are not written yet:', error instanceof Error && error.message);
        return;
      }
    }
  }
  const end = new AbortController();
  async function keepWriting() {
    for await (const _ of setInterval(interval, undefined, { signal: end.signal })) await write();
  }
  const writing = keepWriting().catch(() => {});

  const server = createServer(async ({ method, url = '' }, response) => {
    const [, campaign, query = ''] = /^\/c\/([1-9][0-9]{0,15})(?:\?(.*))?$/.exec(url) ?? [];
    if (!campaign) return response.writeHead(404, headers).end();
    if (method !== 'GET' && method !== 'HEAD')
      return response.writeHead(405, { ...headers, Allow: 'GET, HEAD' }).end();
    const mirror = await mirrorOf(campaign).catch(() => null);
    if (mirror === null) return response.writeHead(503, { ...headers, 'Retry-After': 1 }).end();
    if (mirror === undefined) return response.writeHead(404, headers).end();
    response.writeHead(302, { ...headers, Location: location(mirror, clickIdOf(query)) }).end();
    if (method === 'GET') add(campaign, 1);
  });

  async function stop() {
    end.abort();
    if (server.listening) await new Promise((resolve) => server.close(resolve).closeIdleConnections());
    await writing;
    await write();
  }
  return { server, stop };
}
