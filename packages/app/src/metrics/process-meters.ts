import { silentHotPathObserver } from '@campaign-mirror/adapters-persistence';
import { hotPathCounts } from './hot-path-counts.ts';
import { httpCounts } from './http-counts.ts';
import { type Meters, type Source, snapshotsOf } from './meters.ts';
import type { ProcessRole } from './process-definitions.ts';
import { processMeter } from './process-meter.ts';

/** All that is counted in this process. `lostLines`: of the log, so far. */
export function processMeters(role: ProcessRole, lostLines: () => number): Meters {
  const hotPath = hotPathCounts();
  const callers = httpCounts('callers');
  const operators = httpCounts('operators');
  const meter = processMeter(role, lostLines);
  const sources: Source[] = [callers, operators, hotPath, meter].map(({ samples }) => samples);
  return {
    hotPath,
    callers,
    operators,
    add: (source) => void sources.push(source),
    snapshots: () => snapshotsOf(sources),
    stop: meter.stop,
  };
}

/** With METRICS=off: nothing is counted. */
export const noMeters: Meters = {
  hotPath: silentHotPathObserver,
  callers: { answered: () => {} },
  operators: { answered: () => {} },
  add: () => {},
  snapshots: async () => [],
  stop: () => {},
};
