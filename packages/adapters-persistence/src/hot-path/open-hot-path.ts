import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { defaultPoolLimits, type PoolLimits } from '../connection/pool.ts';
import { type HotPathObserver, Statements, silentHotPathObserver } from './batches.ts';
import { GroupedUpdates, PostgresCampaigns, type Updates } from './campaigns.ts';
import { GroupedLookUps, type LookUps, PostgresIdentity } from './identity.ts';
import { KeyUses } from './key-uses.ts';

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
  const hotPath = groupCommit(statements, { maxLocked: maxLockedOf(size), timeout }, observer);
  const uses = new KeyUses(pool);
  return {
    campaigns: new PostgresCampaigns(hotPath, { observer, uses }),
    identity: new PostgresIdentity(hotPath, { uses }),
    uses,
  };
}

/** The maximum number of campaigns waited for at once: half of the pool, so that other work continues. */
export function maxLockedOf(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** What the ports of the use case ask of PostgreSQL. */
export type HotPath = LookUps & Updates;

export interface GroupCommitLimits {
  /** The maximum number of campaigns whose locks are awaited at once, each on its own connection. */
  readonly maxLocked: number;
  /** How long a call waits for its turn, in milliseconds. */
  readonly timeout: number;
}

/** Calls that arrive while a statement is running share the next one and its commit. */
export function groupCommit(
  statements: Statements,
  limits: GroupCommitLimits,
  observer: HotPathObserver = silentHotPathObserver,
): HotPath {
  const lookUps = new GroupedLookUps(statements, limits.timeout, observer);
  const updates = new GroupedUpdates(statements, limits, observer);
  return {
    key: (hash) => lookUps.key(hash),
    campaign: (id) => lookUps.campaign(id),
    set: (seen, change) => updates.set(seen, change),
  };
}
