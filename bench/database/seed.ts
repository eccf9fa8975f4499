import { randomBytes } from 'node:crypto';
import { type AccessKey, accessKeyFrom } from '@campaign-mirror/domain';
import pg from 'pg';
import { numbersBefore, strideOf } from '../load/plan.ts';

/** The data: campaigns from 1 up, each with a mirror; campaign n belongs to owner n modulo owners, plus 1. */
export interface Seed {
  readonly campaigns: number;
  /** A key for each owner, in their order. */
  readonly keys: readonly AccessKey[];
  /** The n-th belongs to the owner of the campaign of the n-th request of a load. */
  readonly keyEach: readonly AccessKey[];
  /** The changes in the history: as many of each campaign, or one more. */
  readonly changes: number;
  /** The first address of the mirror of `campaign`, in SQL; by default `addressBefore`. */
  readonly addresses?: string;
}

/** The first address of every mirror. */
export const addressBefore = 'https://mirror.example/before';

const owners = 1_000;

export const newKeys = (length: number) => Array.from({ length }, () => accessKeyFrom(randomBytes(32)));

export const seedOf = (campaigns: number, changes = 0, keyEach: readonly AccessKey[] = []): Seed => ({
  ...{ campaigns, keys: newKeys(owners), keyEach, changes },
});

/** A prime: the n-th change is of campaign 1 + n × this, and the changes of a campaign are far apart. */
const stride = 7_907;

export async function seed(url: URL, filling: Seed): Promise<void> {
  const { campaigns, changes, keys, keyEach, addresses = '$2::text' } = filling;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // Without triggers and foreign keys, which would take most of the time.
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
    // One change a second until now.
    await client.query(
      `insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, access_key_id,
          owner_id, address_before, address_after, changed_at, request_id)
        select n, case when n > $1 then n - $1 end, campaign, campaign, 'key', campaign % $3 + 1, campaign % $3 + 1,
          $4, $4, now() - ($2 - n) * interval '1 second', 'seed-' || n
        from generate_series(1::bigint, $2) n, lateral (select 1 + (n + $1) * $5 % $1 as campaign) c`,
      [campaigns, changes, owners, addressBefore, stride],
    );
    for (const [table, last] of Object.entries({ campaigns, mirrors: campaigns, mirror_history: changes }))
      if (last > 0) await client.query(`select setval('campaign_mirror.${table}_id_seq', $1)`, [last]);
    // With the trigger that makes the row of a key's uses.
    await client.query('set session_replication_role = origin');
    for (const [some, owner] of [
      [keys, 'at'],
      [keyEach, `(1 + (${numbersBefore} + at) * ${strideOf(campaigns)} % ${campaigns}) % ${owners} + 1`],
    ] as const)
      await client.query(
        `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id)
          select sha256(key::bytea), left(key, 10), 'benchmark', ${owner}
          from unnest($1::text[]) with ordinality as k (key, at)`,
        [some],
      );
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
