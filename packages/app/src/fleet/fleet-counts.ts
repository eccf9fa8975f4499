import { type MetricSnapshot, summed } from '../metrics/meters.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long to wait for a worker's counts, in milliseconds; after that, its last ones are used. */
const timeout = 500;

/** The counts of all workers, including those that ended: otherwise sums would fall with each replacement. */
export class FleetCounts {
  readonly #living = new Set<WorkerProcess>();
  #departed: readonly MetricSnapshot[] = [];

  /** Until its end; then its last counts are kept. */
  follow(worker: WorkerProcess): void {
    this.#living.add(worker);
    void worker.gone.then(() => {
      this.#living.delete(worker);
      // Its gauges, such as memory, end with it.
      const lasting = worker.counts.filter(({ type }) => type !== 'gauge');
      this.#departed = summed([this.#departed, lasting]);
    });
  }

  async snapshots(): Promise<readonly (readonly MetricSnapshot[])[]> {
    await Promise.all([...this.#living].map((worker) => worker.tellCounts(timeout)));
    return [this.#departed, ...[...this.#living].map(({ counts }) => counts)];
  }
}
