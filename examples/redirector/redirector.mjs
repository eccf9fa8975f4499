import { once } from 'node:events';
import { createServer } from 'node:http';
import { countClicks } from './clicks.mjs';
import { clickIdOf, location } from './location.mjs';
import { complain } from './log.mjs';
import { keepMirrors } from './mirrors.mjs';

/** Lines a minute about campaigns that are 502, each of which is a trouble of its own. */
const maxComplaints = 1_000;
const headers = { 'Cache-Control': 'no-store', 'Content-Length': 0 };

/** Times in milliseconds. */
const usual = {
  /** Between two polls. */
  interval: 100,
  /** How long an address is used without polls; the time limit of an answer; between two writes of clicks. */
  second: 1_000,
  /** After a longer pause a poll would return too much: all addresses are read again instead. */
  longestPause: 10_000,
  /** Between two comparisons of all known addresses. */
  sweep: 10_000,
  /** Addresses. */
  maxKept: 100_000,
  /** Campaigns whose clicks wait to be written. */
  maxClicked: 1_000_000,
};

/**
 * Sends visitors of `/c/{campaign}` to its mirror, and counts their clicks. `/healthz` shows what they get.
 * @param {Record<'reads' | 'feed' | 'clicks', import('pg').Pool>} pools `reads` and `feed` of one server, also of a
 *   standby, `clicks` of the primary; `feed` and `clicks` of one connection each
 * @param {Partial<typeof usual>} [limits] for tests
 */
export function redirector(pools, limits) {
  const all = { ...usual, ...limits };
  const mirrors = keepMirrors(pools, all);
  const clicks = countClicks(pools.clicks, all);

  // After the first poll, known addresses are served without a database.
  /** @param {string | null} [updated_at] @returns {Answer} */
  function health(updated_at) {
    const age = mirrors.pollAge();
    const body = JSON.stringify({ last_poll_age_seconds: age, updated_at });
    return [
      Number.isFinite(age) ? 200 : 503,
      { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length },
      body,
    ];
  }

  /**
   * @typedef {[status: number, headers?: object, body?: string]} Answer
   * @param {import('node:http').IncomingMessage} request @returns {Promise<Answer>}
   */
  async function answer({ method, url = '' }) {
    const [, asksHealth, number, query = ''] =
      /^(?:https?:\/\/[^/?#]*)?\/(?:c\/|(healthz\?campaign=))([1-9][0-9]{0,15})(?:\?(.*))?$/.exec(url) ?? [];
    const campaign = Number(number);
    if (url !== '/healthz' && !Number.isSafeInteger(campaign)) return [404];
    if (method !== 'GET' && method !== 'HEAD') return [405, { Allow: 'GET, HEAD' }];
    if (url === '/healthz') return health();
    const mirror = await mirrors.mirrorOf(campaign).catch(() => undefined);
    if (mirror === undefined) return [503, { 'Retry-After': 1 }];
    const to = mirror ? location(mirror.address, clickIdOf(query)) : undefined;
    if (asksHealth) return health(mirror && to && mirrors.isOneServer() ? mirror.updated_at : null);
    if (mirror === null) return [404];
    if (to === undefined) {
      complain(
        `campaign ${campaign} is 502`,
        'its address cannot be sent: no browser could follow it, or this Node does not know its host',
        maxComplaints,
      );
      return [502];
    }
    if (method === 'GET') clicks.count(campaign);
    return [302, { Location: to }];
  }

  /** @type {WeakMap<import('node:net').Socket, import('node:http').ServerResponse>} The answer of a connection. */
  const answering = new WeakMap();
  // Longer than the minute of a load balancer, which must close an idle connection first.
  const server = createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
    const { socket } = request;
    const first = answering.get(socket);
    if (first) {
      // It does not wait for its answer. Reads for thousands of such requests would delay all others.
      first.shouldKeepAlive = false;
      socket.pause();
      return;
    }
    answering.set(socket, response);
    try {
      const [status, more, body] = await answer(request);
      response.writeHead(status, { ...headers, ...more }).end(body);
    } catch (error) {
      complain('a visitor was not answered', error);
      response.destroy();
    } finally {
      answering.delete(socket);
    }
  });

  /** Answers received requests and writes the clicks, in about nine seconds. Resolves with the number of lost clicks. */
  async function stop() {
    const cut = setTimeout(() => server.closeAllConnections(), 2 * all.second);
    if (server.listening) {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    }
    clearTimeout(cut);
    mirrors.stop();
    return clicks.stop(4 * all.second);
  }
  return { server, stop };
}
