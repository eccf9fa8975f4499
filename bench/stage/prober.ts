import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../databases/database.ts';
import { probedCampaigns, type Seed } from '../databases/seed.ts';

/** Milliseconds from one answer to the next request. */
const between = 200;

/** What came of looking closely: how many mirrors were set, and what was wrong. */
interface Probed {
  readonly set: number;
  readonly faults: readonly string[];
}

/**
 * Sets mirrors that the load leaves alone while it goes on, and holds each answer against what was sent and against
 * the row in the database. Returns what ends it.
 */
export function startProber(port: number, database: Database, seed: Seed): () => Promise<Probed> {
  const stop = new AbortController();
  const probing = database.session((client) => probe(port, client, seed, stop.signal));
  return () => {
    stop.abort();
    return probing;
  };
}

async function probe(port: number, client: pg.Client, seed: Seed, signal: AbortSignal): Promise<Probed> {
  const faults: string[] = [];
  let set = 0;
  try {
    for (let turn = 0; !signal.aborted; turn++) {
      const campaign = seed.campaigns + 1 + (turn % probedCampaigns);
      const address = `https://probe.example/${campaign}?at=${Date.now()}&turn=${turn}`;
      const key = seed.keys[campaign % seed.keys.length];
      const response = await fetch(`http://127.0.0.1:${port}/public/v1/mirror/campaign/${campaign}/mirror`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ mirror_endpoint: address }),
      });
      const { mirror } = (await response.json()) as { mirror?: Record<string, unknown> };
      if (response.status === 200) set += 1;
      const { rows } = await client.query<{ right: boolean }>(
        `select target_url = $2 and to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') = $3 as right
        from campaign_mirror.mirrors where campaign_id = $1`,
        [campaign, address, mirror?.updated_at],
      );
      if (mirror?.campaign_id !== campaign || mirror.target_url !== address || !rows[0]?.right)
        faults.push(
          `${address} was answered ${response.status} ${JSON.stringify(mirror)}, the row is another`,
        );
      await pause(between, undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    faults.push(`a probe failed: ${error}`);
  }
  return { set, faults };
}
