import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { defaultPoolLimits, type PoolLimits } from '../connection/pool.ts';
import { type HotPathObserver, Statements, silentHotPathObserver } from '../statements/statements.ts';
import { groupedUpdates, postgresCampaigns } from './campaigns.ts';
import { groupedLookUps, postgresIdentity } from './identity.ts';
import { KeyUses } from './key-uses.ts';
import type { LockQueueLimits } from './lock-queue.ts';

export interface HotPathOptions {
  /** The limits of the pool: a call waits for its turn as long as for a connection. */
  readonly limits?: Pick<PoolLimits, 'size' | 'waitTimeout'>;
  /** Whether statements are prepared; false for a pooler in transaction mode that does not keep them. */
  readonly prepared?: boolean;
}

/** Used if the pool sets no limit: the longest time that a timer of Node takes, in milliseconds. */
const noTimeout = 2_147_483_647;

/** The ports of the use case; they share a pool, statements and the recorder of key uses. */
export interface OpenHotPath {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
  /** Records when keys were last used, in the background: stop it before closing the pool. */
  readonly uses: KeyUses;
}

/** The ports of the use case on this pool. */
export function openHotPath(
  pool: Pool,
  { limits: { size, waitTimeout } = defaultPoolLimits, prepared = true }: HotPathOptions = {},
  observer: HotPathObserver = silentHotPathObserver,
): OpenHotPath {
  const statements = new Statements(pool, { prepared }, observer);
  const timeout = waitTimeout > 0 ? waitTimeout : noTimeout;
  return hotPathOn(statements, new KeyUses(pool), { maxLocked: maxLockedOf(size), timeout }, observer);
}

/** Half of the pool, so that other work continues while updates wait for locks. */
export function maxLockedOf(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** Calls that arrive while a statement is running share the next one and its commit. */
export function hotPathOn(
  statements: Statements,
  uses: KeyUses,
  limits: LockQueueLimits,
  observer: HotPathObserver,
): OpenHotPath {
  const lookUps = groupedLookUps(statements, limits.timeout, observer);
  const set = groupedUpdates(statements, limits, observer);
  return {
    campaigns: postgresCampaigns(lookUps.campaign, set, observer, uses),
    identity: postgresIdentity(lookUps.key, uses),
    uses,
  };
}
