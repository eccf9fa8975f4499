import type { Random } from '../workload/known.ts';
import type { Recorder } from '../workload/recorder.ts';
import { databaseFaults } from './database-faults.ts';
import { networkFaults } from './network-faults.ts';
import { serviceFaults } from './service-faults.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  readonly does: string;
  /** How many processes have to serve. */
  readonly workers?: number;
  /** The size of the database's disk that it needs, in megabytes; such a disk takes root. */
  readonly disk?: number;
  /** Resolves when its cause is gone. */
  run(stage: Stage, during: { readonly recorder: Recorder; readonly random: Random }): Promise<void>;
}

export const faults = {
  ...databaseFaults,
  ...networkFaults,
  ...serviceFaults,
} satisfies Record<string, Fault>;
