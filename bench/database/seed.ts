import { randomBytes } from 'node:crypto';
import { type AccessKey, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import { keyHash } from '../../packages/adapters-persistence/src/schema/key-hash.ts';
import { withClient } from './query.ts';

/** How much there is: campaigns from 1 up, each with a mirror; campaign n belongs to owner n modulo owners, plus 1. */
export interface Seed {
  readonly campaigns: number;
  /** A key for each owner, in their order. */
  readonly keys: readonly AccessKey[];
}

/** Where every mirror points at first. */
export const addressBefore = 'https://mirror.example/before';

const owners = 1_000;

export function seedOf(campaigns: number): Seed {
  const keys = Array.from({ length: owners }, () => accessKeyFrom(randomBytes(accessKeyBytes)));
  return { campaigns, keys };
}

export function seed(url: URL, { campaigns, keys }: Seed): Promise<void> {
  return withClient(url, async (client) => {
    await client.query(
      `insert into campaign_mirror.campaigns (id, owner_id, name)
        select n, n % $2 + 1, 'Campaign ' || n from generate_series(1, $1::int) n`,
      [campaigns, owners],
    );
    await client.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url)
        select n, $2 from generate_series(1, $1::int) n`,
      [campaigns, addressBefore],
    );
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
