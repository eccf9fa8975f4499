import type { Random } from '../workload/known.ts';
import type { Recorder } from '../workload/recorder.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  readonly does: string;
  /** How many processes have to serve. */
  readonly processes?: number;
  /** Whether the clock of the service has to be one that can be set; that takes Debian's libfaketime. */
  readonly clock?: true;
  /** The size of the database's disk that it needs, in megabytes; such a disk takes root. */
  readonly disk?: number;
  /** Resolves when its cause is gone. */
  run(stage: Stage, during: { readonly recorder: Recorder; readonly random: Random }): Promise<void>;
}
