/** How many processes serve, and what each of them has. */
export interface WorkerShare {
  readonly workers: number;
  /** Database connections of each, at most. */
  readonly poolSize: number;
  /** Fewer than there are cores, for want of connections. */
  readonly fewer?: true;
}

/** With a single one, who waits for a row keeps everybody else of the process waiting. */
export const wantedEach = 2;

/** The least POOL_SIZE for so many workers: each needs a connection, and so does the one more of a rolling restart. */
export function leastPoolSize(asked: number | 'auto'): number {
  if (asked === 1) return 1;
  return asked === 'auto' ? 2 : asked + 1;
}

/**
 * Divides the service's connections: a rolling restart has one worker more for a while, which counts, so that
 * POOL_SIZE, which is at least `leastPoolSize`, holds at any time. `auto` takes as many workers as there are cores,
 * provided that each gets two connections.
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
