import { randomBytes } from 'node:crypto';
import { type AccessKey, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import type pg from 'pg';
import { keyHash } from '../../packages/adapters-persistence/src/schema/keys.ts';
import { withClient } from './server.ts';

/** How much there is: campaigns from 1 up, each with a mirror; campaign n belongs to owner n modulo owners, plus 1. */
export interface Seed {
  readonly campaigns: number;
  /** A key for each owner, in their order. */
  readonly keys: readonly AccessKey[];
  /** How many there were already: of each campaign as many as of any other, or one more. */
  readonly changes: number;
  /** The first address of the mirror of `campaign`, in SQL; by default `addressBefore`. */
  readonly addresses?: string;
}

/** The first address of every mirror. */
export const addressBefore = 'https://mirror.example/before';

const owners = 1_000;

export function seedOf(campaigns: number, changes = 0): Seed {
  const keys = Array.from({ length: owners }, () => accessKeyFrom(randomBytes(accessKeyBytes)));
  return { campaigns, keys, changes };
}

/** A prime, so that the changes of a campaign are as far from each other as they can be: the n-th is of 1 + n × this. */
const stride = 7_907;

export function seed(url: URL, { campaigns, keys, changes, addresses = '$2::text' }: Seed): Promise<void> {
  return withClient(url, async (client) => {
    // Neither triggers nor foreign keys, which would take most of the time.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into campaign_mirror.campaigns (id, owner_id, name)
        select n, n % $2 + 1, 'Campaign ' || n from generate_series(1, $1::int) n`,
      [campaigns, owners],
    );
    await client.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url, owner_id, is_default, last_change_id)
        select campaign, coalesce(${addresses}, $2), campaign % $4 + 1, false, case when n > 0 then n end
        from generate_series($3::bigint - $1 + 1, $3) n, lateral (select 1 + (n + $1) * $5 % $1 as campaign) c
        order by campaign`,
      [campaigns, addressBefore, changes, owners, stride],
    );
    if (changes > 0) await seedHistory(client, campaigns, changes);
    for (const table of ['campaigns', 'mirrors'])
      await client.query(`select setval('campaign_mirror.${table}_id_seq', $1)`, [campaigns]);
    await client.query(
      `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id)
        select hash, displayed, 'benchmark', owner
        from unnest($1::bytea[], $2::text[]) with ordinality as k (hash, displayed, owner)`,
      [keys.map(keyHash), keys.map(displayedPart)],
    );
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}

/** One a second until now. */
async function seedHistory(client: pg.Client, campaigns: number, changes: number): Promise<void> {
  await client.query(
    `insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, access_key_id, owner_id,
        address_before, address_after, changed_at, request_id)
      select n, case when n > $1 then n - $1 end, campaign, campaign, 'key', campaign % $3 + 1, campaign % $3 + 1, $4, $4,
        now() - ($2 - n) * interval '1 second', 'seed-' || n
      from generate_series(1::bigint, $2) n, lateral (select 1 + (n + $1) * $5 % $1 as campaign) c`,
    [campaigns, changes, owners, addressBefore, stride],
  );
  await client.query("select setval('campaign_mirror.mirror_history_id_seq', $1)", [changes]);
}
