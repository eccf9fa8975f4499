/** The number of serving processes, and the share of each. */
export interface WorkerShare {
  readonly workers: number;
  /** The maximum number of database connections of each. */
  readonly poolSize: number;
  /** Fewer workers than cores, because of the number of connections. */
  readonly fewer?: true;
}

/** With a single one, a request that waits for a row blocks all others of the process. */
export const wantedEach = 2;

/**
 * The least POOL_SIZE for this many workers: each needs a connection, and so does the additional one of a rolling
 * restart.
 */
export function leastPoolSize(asked: number | 'auto'): number {
  if (asked === 1) return 1;
  return asked === 'auto' ? 2 : asked + 1;
}

/**
 * Divides the service's connections: a rolling restart temporarily adds a worker, which is included, so that POOL_SIZE,
 * which is at least `leastPoolSize`, is never exceeded. `auto` takes as many workers as there are cores, provided that
 * each gets two connections.
 */
export function workerShare(asked: number | 'auto', cores: number, poolSize: number): WorkerShare {
  if (asked !== 'auto') return { workers: asked, poolSize: shared(poolSize, asked) };
  const affordable = Math.max(1, Math.floor(poolSize / wantedEach) - 1);
  const workers = Math.min(cores, affordable);
  return { workers, poolSize: shared(poolSize, workers), ...(affordable < cores && { fewer: true }) };
}

function shared(poolSize: number, workers: number): number {
  return Math.floor(poolSize / (workers + 1));
}
