import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../workload/known.ts';
import type { Recorder } from '../workload/recorder.ts';
import type { Stage } from './under-fault.ts';

export type Fault = (stage: Stage, recorder: Recorder, random: Random) => Promise<void>;

export const faults = {
  none: () => pause(20_000),
  'database-killed': async ({ server }, recorder) => {
    const noticed = recorder.next(({ status }) => status === 503);
    await server.kill();
    await noticed;
    await server.start();
  },
  /** Longer than a statement of the service may take. */
  'database-frozen': async ({ proxy }) => {
    proxy.freeze();
    await pause(10_000);
    proxy.thaw();
  },
  /** The database still executes what was sent before a cut. */
  'network-cut': async ({ proxy }, _, random) => {
    for (let number = 0; number < 30; number++) {
      proxy.cut();
      await pause(random.below(200));
    }
  },
  'service-killed': async ({ services, another }) => {
    await services.pop()?.process.stop('SIGKILL');
    await another();
  },
} satisfies Record<string, Fault>;
