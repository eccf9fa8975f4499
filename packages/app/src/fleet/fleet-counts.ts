import type { MetricSnapshot } from '../metrics/meters.ts';
import { summed } from '../metrics/summed.ts';
import type { WorkerProcess } from './worker-process.ts';

/** So long a worker may take to tell its counts, in milliseconds; else those that it told last are taken. */
const timeout = 500;

/** What all workers have counted, those that are gone included: else sums would fall with each that is replaced. */
export class FleetCounts {
  readonly #living = new Set<WorkerProcess>();
  #departed: readonly MetricSnapshot[] = [];

  /** To its end; then what it told last is kept. */
  follow(worker: WorkerProcess): void {
    this.#living.add(worker);
    void worker.gone.then(() => {
      this.#living.delete(worker);
      // What it had at a moment, such as memory, it has no more.
      const lasting = worker.counts.filter(({ type }) => type !== 'gauge');
      this.#departed = summed([this.#departed, lasting]);
    });
  }

  async snapshots(): Promise<readonly (readonly MetricSnapshot[])[]> {
    await Promise.all([...this.#living].map((worker) => worker.tellCounts(timeout)));
    return [this.#departed, ...[...this.#living].map(({ counts }) => counts)];
  }
}
