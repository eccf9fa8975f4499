import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Pool } from 'pg';

/** How long an address is used without being read again, in milliseconds. */
const age = 1_000;

/** How many addresses are kept. */
const most = 100_000;

interface Kept {
  readonly url: Promise<string | undefined>;
  readonly until: number;
}

/** Sends visitors of `/c/{campaign}` to its mirror, and counts their clicks. `now` gives milliseconds. */
export function redirector(pool: Pool, now = () => performance.now()): Server {
  const mirrors = new Map<string, Kept>();

  async function read(campaign: string): Promise<string | undefined> {
    const text = 'select target_url from campaign_mirror.current_mirrors where campaign_id = $1';
    return (await pool.query<{ target_url: string }>(text, [campaign])).rows[0]?.target_url;
  }

  function mirrorOf(campaign: string): Promise<string | undefined> {
    const kept = mirrors.get(campaign);
    if (kept && kept.until > now()) return kept.url;
    if (mirrors.size >= most) mirrors.clear();
    const url = read(campaign).catch((error) => {
      // While the database is away, visitors go where they went before.
      if (kept) return kept.url;
      mirrors.delete(campaign);
      throw error;
    });
    mirrors.set(campaign, { url, until: now() + age });
    return url;
  }

  /** The visitor does not wait for it. */
  function count(campaign: string): void {
    const text = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
    pool.query(text, [campaign]).catch(({ code }) => console.error('a click was not counted:', code));
  }

  return createServer(async ({ url = '' }, response) => {
    const campaign = /^\/c\/([1-9][0-9]{0,15})$/.exec(url)?.[1];
    const mirror = campaign && (await mirrorOf(campaign).catch(() => null));
    if (mirror === null) return response.writeHead(503, { 'Retry-After': 1 }).end();
    if (!campaign || !mirror) return response.writeHead(404).end();
    const location = new URL(mirror.replaceAll('{click_id}', randomUUID())).href;
    response.writeHead(302, { Location: location, 'Cache-Control': 'no-store' }).end();
    count(campaign);
  });
}
