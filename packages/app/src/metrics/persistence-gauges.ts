import type { Database } from '@campaign-mirror/adapters-persistence';
import { by, plain, type Samples } from './definition.ts';
import type { persistenceDefinitions } from './persistence-definitions.ts';

/** The pool at this moment; `limit` is its largest size. */
export function poolGauges({ pool }: Pick<Database, 'pool'>, limit: number) {
  return (): Samples<typeof persistenceDefinitions> => ({
    campaign_mirror_pool_connections: by('state', {
      'in-use': pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
    }),
    campaign_mirror_pool_connections_limit: plain(limit),
    campaign_mirror_pool_waiting: plain(pool.waitingCount),
  });
}

export function keyUseCounts(uses: Record<'noted' | 'writes' | 'failures', number>) {
  return (): Samples<typeof persistenceDefinitions> => ({
    campaign_mirror_key_uses_noted_total: plain(uses.noted),
    campaign_mirror_key_use_writes_total: by('result', { done: uses.writes, failed: uses.failures }),
  });
}
