import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../databases/database.ts';
import { probedCampaigns, type Seed } from '../databases/seed.ts';

/** Milliseconds from one answer to the next request. */
const between = 200;

/** What came of looking closely: how many mirrors were set, and what was wrong. */
export interface Probed {
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

async function probe(port: number, client: pg.Client, seed: Seed, stop: AbortSignal): Promise<Probed> {
  const agent = new Agent({ keepAlive: true });
  const faults: string[] = [];
  let set = 0;
  try {
    for (let turn = 0; !stop.aborted; turn++) {
      const campaign = seed.campaigns + 1 + (turn % probedCampaigns);
      const address = `https://probe.example/${campaign}?at=${Date.now()}&turn=${turn}`;
      const key = seed.keys[campaign % seed.keys.length] ?? '';
      const { status, body } = await setMirror({ agent, port, campaign, key, address });
      if (status === 200) set += 1;
      const { rows } = await client.query<{ target_url: string; updated_at: string }>(
        `select target_url, to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
        from campaign_mirror.mirrors where campaign_id = $1`,
        [campaign],
      );
      const [row] = rows;
      const mirror = status === 200 ? JSON.parse(body).mirror : {};
      const right =
        mirror.campaign_id === campaign &&
        mirror.target_url === address &&
        row?.target_url === address &&
        row.updated_at === mirror.updated_at;
      if (!right)
        faults.push(`${address} was answered ${status} ${body}, the database has ${row?.target_url}`);
      await pause(between, undefined, { signal: stop }).catch(() => {});
    }
  } catch (error) {
    faults.push(`a probe failed: ${error}`);
  }
  agent.destroy();
  return { set, faults };
}

interface Probe {
  readonly agent: Agent;
  readonly port: number;
  readonly campaign: number;
  readonly key: string;
  readonly address: string;
}

async function setMirror({ agent, port, campaign, key, address }: Probe) {
  const sent = request({
    agent,
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: `/public/v1/mirror/campaign/${campaign}/mirror`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ mirror_endpoint: address }));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  return { status: response.statusCode, body: await text(response) };
}
