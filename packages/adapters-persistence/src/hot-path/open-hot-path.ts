import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { defaultPoolLimits, type PoolLimits } from '../connection/pool.ts';
import { Statements } from './batches.ts';
import { groupedUpdates, postgresCampaigns } from './campaigns.ts';
import { groupedLookUps, postgresIdentity } from './identity.ts';
import { KeyUses } from './key-uses.ts';
import type { HotPathObserver } from './observer.ts';

/** The ports of the use case; they share a pool, statements and the recorder of key uses. */
export interface OpenHotPath {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
  /** Records when keys were last used, in the background: stop it before closing the pool. */
  readonly uses: KeyUses;
}

/**
 * `pool`: of `openPool` or `openDatabase`, which let no commit pass that a synchronous standby has not confirmed.
 * A call waits for its turn as long as for a connection. Statements are `prepared`, except for a pooler in transaction mode
 * that does not keep them. Calls that arrive while a statement is running share the next one and its commit.
 */
export function openHotPath(
  pool: Pool,
  { limits = defaultPoolLimits, prepared = true }: { limits?: PoolLimits; prepared?: boolean } = {},
  observer: HotPathObserver = {},
): OpenHotPath {
  const statements = new Statements(pool, { prepared }, observer);
  // Without a limit, the longest time that a timer of Node takes.
  const timeout = limits.waitTimeout || 2 ** 31 - 1;
  // Half of the pool, so that other work continues while updates wait for locks.
  const maxLocked = Math.max(1, Math.floor(limits.size / 2));
  const uses = new KeyUses(pool);
  const lookUps = groupedLookUps(statements, timeout, observer);
  const set = groupedUpdates(statements, { maxLocked, timeout }, observer);
  return {
    campaigns: postgresCampaigns(lookUps.campaign, set, uses),
    identity: postgresIdentity(lookUps.key, uses),
    uses,
  };
}
