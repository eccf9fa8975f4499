import type { PoolLimits } from '@campaign-mirror/adapters-persistence';

/** So that no statement of a test fails because the machine is slow. A test that is about a limit names its own. */
export const patient: PoolLimits = {
  size: 10,
  waitTimeout: 300_000,
  statementTimeout: 300_000,
  queryTimeout: 300_000,
};
