import { violationsOf } from '../history/check.ts';
import type { RecordedCall, RunRecord } from '../history/record.ts';
import type { Violation } from '../history/violations.ts';
import type { Recorder } from '../history/workload/recorder.ts';
import { recorded } from '../history/workload/run.ts';
import type { Fault } from './faults.ts';
import type { Stage } from './stage.ts';

/** Updates that are made before a fault and after it. */
const around = 100;
/** At a time: two processors carry the whole cluster. */
const callers = 6;

/** What callers saw of a fault. */
interface Felt {
  readonly name: string;
  /** The longest time without a 200, from the beginning of the fault until it serves again, in milliseconds. */
  readonly outage: number;
  /** Calls that ended in that time. */
  readonly calls: readonly RecordedCall[];
}

export interface ClusterRun {
  readonly record: RunRecord;
  readonly violations: readonly Violation[];
  readonly felt: readonly Felt[];
}

/** Lets everybody work, brings the faults about, one after the other, and looks whether any rule was broken. */
export async function underFaults(
  stage: Stage,
  faults: Readonly<Record<string, Fault>>,
  seed: number,
): Promise<ClusterRun> {
  const felt: Felt[] = [];
  const record = await recorded({ store: stage.store, served: stage, seed, callers }, async (recorder) => {
    await recorder.updates(around);
    for (const [name, fault] of Object.entries(faults)) {
      const begin = recorder.now();
      const undo = await fault.run(stage, recorder);
      const done = recorder.now();
      const { end } = await recorder.next((call) => call.status === 200 && call.begin > done);
      felt.push({ name, ...between(recorder, begin, end) });
      await undo();
      await stage.patroni.whole();
      await recorder.updates(around);
    }
  });
  return { record, violations: violationsOf(record), felt };
}

function between({ calls }: Recorder, begin: number, end: number): Omit<Felt, 'name'> {
  const ended = calls.filter((call) => call.end >= begin && call.end <= end);
  const good = ended.filter(({ status }) => status === 200).map((call) => call.end);
  const times = [begin, ...good.sort((one, other) => one - other), end];
  return { calls: ended, outage: Math.max(...times.map((time, at) => time - (times[at - 1] ?? time))) };
}
