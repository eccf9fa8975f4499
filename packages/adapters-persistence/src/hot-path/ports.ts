import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { defaultPoolLimits, type PoolLimits } from '../connection/pool.ts';
import { postgresFind, postgresIdentity } from './look-ups.ts';
import { type HotPathObserver, StatementRunner } from './run-statements.ts';
import { groupedUpdates } from './updates.ts';

/** The ports of the use case; they share a pool and its statements. */
export interface OpenHotPath {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
}

/** How the hot path uses its pool. */
export interface HotPathOptions {
  readonly limits?: Pick<PoolLimits, 'size' | 'waitTimeout'>;
  /** True, except for a pooler in transaction mode that does not keep prepared statements. */
  readonly prepared?: boolean;
  readonly observer?: HotPathObserver;
  /** By default on the pool. */
  readonly statements?: StatementRunner;
}

/**
 * `pool`: of `openDatabase`, which lets no commit pass that a synchronous standby has not confirmed. A call waits for
 * its turn as long as for a connection.
 */
export function openHotPath(
  pool: Pool,
  { limits = defaultPoolLimits, prepared = true, observer, ...own }: HotPathOptions = {},
): OpenHotPath {
  const { statements = new StatementRunner(pool, { prepared }, observer) } = own;
  // Without a limit, the longest time that a timer of Node takes.
  const timeout = limits.waitTimeout || 2 ** 31 - 1;
  // Half of the pool, so that other work continues while updates wait for locks.
  const maxLocked = Math.max(1, Math.floor(limits.size / 2));
  const find = postgresFind(statements, timeout);
  const setMirror = groupedUpdates(statements, find, { maxLocked, timeout });
  return { campaigns: { find, setMirror }, identity: postgresIdentity(statements, timeout) };
}
