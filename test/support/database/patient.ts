import type { PoolLimits } from '@campaign-mirror/adapters-persistence';

const fiveMinutes = 300_000;

/** Limits that no statement reaches on a slow machine. */
export const patient: PoolLimits = {
  size: 10,
  waitTimeout: fiveMinutes,
  statementTimeout: fiveMinutes,
  queryTimeout: fiveMinutes,
};
