import { randomBytes } from 'node:crypto';
import { type AccessKey, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import { keyHash } from '../../packages/adapters-persistence/src/schema/key-hash.ts';
import type { Queries } from './queries.ts';

/** How much there is: campaigns from 1 up, each with a mirror; campaign n belongs to owner n modulo owners, plus 1. */
export interface Seed {
  readonly campaigns: number;
  /** A key for each owner, in their order. */
  readonly keys: readonly AccessKey[];
}

/** Where every mirror points at first. */
export const addressBefore = 'https://mirror.example/before';
/** So many campaigns more, behind the others, are for those who look closely while the load goes on. */
export const probedCampaigns = 3;

/** Campaigns that one statement writes. */
const batch = 200_000;

export function newKeys(owners: number): AccessKey[] {
  return Array.from({ length: owners }, () => accessKeyFrom(randomBytes(accessKeyBytes)));
}

export async function seed(database: Queries, { campaigns, keys }: Seed): Promise<void> {
  const last = campaigns + probedCampaigns;
  for (let first = 1; first <= last; first += batch) {
    const range = [first, Math.min(last, first + batch - 1)];
    await database.query(
      `insert into campaign_mirror.campaigns (id, owner_id, name)
        select n, n % $3 + 1, 'Campaign ' || n from generate_series($1::int, $2::int) n`,
      [...range, keys.length],
    );
    await database.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url)
        select n, $3 from generate_series($1::int, $2::int) n`,
      [...range, addressBefore],
    );
  }
  await database.query(
    `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id)
      select hash, displayed, 'benchmark', owner
      from unnest($1::bytea[], $2::text[]) with ordinality as k (hash, displayed, owner)`,
    [keys.map(keyHash), keys.map(displayedPart)],
  );
  // An autovacuum would fall into somebody's round; `tidy` does the same for both between the rounds.
  for (const table of ['campaigns', 'mirrors', 'mirror_history']) {
    await database.query(`alter table campaign_mirror.${table} set (autovacuum_enabled = off)`);
  }
  await database.query('vacuum analyze');
}

/** Before each round: no dead rows of the one before. */
export async function tidy(database: Queries): Promise<void> {
  await database.query('vacuum analyze campaign_mirror.campaigns, campaign_mirror.mirrors');
}

/** Before a warm-up: behind a checkpoint each page is written whole once, which belongs into no round. */
export async function checkpoint(database: Queries): Promise<void> {
  await database.query('checkpoint');
}
