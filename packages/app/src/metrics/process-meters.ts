import { silentHttpObserver } from '@campaign-mirror/adapters-http';
import { silentHotPathObserver } from '@campaign-mirror/adapters-persistence';
import { HotPathCounts } from './hot-path-counts.ts';
import { HttpCounts } from './http-counts.ts';
import { refusals } from './http-definitions.ts';
import { type Meters, type MetricSnapshot, type Source, snapshotsOf } from './meters.ts';
import type { ProcessRole } from './process-definitions.ts';
import { ProcessMeter } from './process-meter.ts';

/** All that is counted in this process. */
export class ProcessMeters implements Meters {
  readonly hotPath = new HotPathCounts();
  readonly callers = new HttpCounts('callers', refusals);
  readonly operators = new HttpCounts('operators');
  readonly #process: ProcessMeter;
  readonly #sources: Source[];

  /** `lostLines`: of the log, so far. */
  constructor(role: ProcessRole, lostLines: () => number) {
    this.#process = new ProcessMeter(role, lostLines);
    this.#sources = [this.callers, this.operators, this.hotPath, this.#process].map(
      (one) => () => one.samples(),
    );
  }

  add(source: Source): void {
    this.#sources.push(source);
  }

  snapshots(): Promise<MetricSnapshot[]> {
    return snapshotsOf(this.#sources);
  }

  stop(): void {
    this.#process.stop();
  }
}

/** With METRICS=off: nothing is counted. */
export const noMeters: Meters = {
  hotPath: silentHotPathObserver,
  callers: silentHttpObserver,
  operators: silentHttpObserver,
  add: () => {},
  snapshots: async () => [],
  stop: () => {},
};
