import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { violationsOf } from '../check.ts';
import { randomNumbers } from '../random-numbers.ts';
import type { RunRecord } from '../record.ts';
import type { Violation } from '../violations.ts';
import { Random } from '../workload/known.ts';
import { recorded } from '../workload/run.ts';
import type { Fault } from './faults.ts';
import { Stage } from './stage.ts';

/** Updates that are made before the fault and after it. */
const around = 100;
/** Connections of the service, at most: its pool, one that looks whether the database is there, and one by it that is being made. */
const maxConnections = 10 + 2;
/** Of what the process held before. */
const mostMemory = 1.2;

interface FaultRun {
  readonly record: RunRecord;
  readonly violations: readonly Violation[];
  /** From when the cause of each was gone to the next 200, in milliseconds. */
  readonly recoveries: readonly number[];
  /** What one process holds in the end, as a part of what it held before the first of them. */
  readonly memory: number | undefined;
}

/** Lets everybody work, brings the faults about, one after the other, and looks whether all is as it was before. */
export async function underFaults(
  faults: readonly Fault[],
  { seed, processes = 1 }: { readonly seed: number; readonly processes?: number },
): Promise<FaultRun> {
  const stage = await Stage.open(processes === 1 && faults.every((fault) => !fault.takesTwo));
  const random = new Random(randomNumbers(seed));
  const recoveries: number[] = [];
  let memory: number | undefined;
  try {
    const workload = { store: stage, served: stage, seed, afterwards: () => nothingIsLeft(stage) };
    const record = await recorded(workload, async (recorder) => {
      await recorder.updates(around);
      const before = stage.isAlone ? await stage.memory() : undefined;
      for (const fault of faults) {
        await fault.run(stage, { recorder, random });
        const gone = recorder.now();
        recoveries.push((await recorder.next(({ status }) => status === 200)).end - gone);
        await recorder.updates(around);
      }
      if (before === undefined) return;
      memory = await eventually('memory that is given back', async () => {
        const part = (await stage.memory()) / before;
        expect(part).to.be.below(mostMemory);
        return part;
      });
    });
    return { record, violations: violationsOf(record), recoveries, memory };
  } finally {
    await stage.close();
  }
}

/** @throws where a session of the service is in a transaction, or there are more of them than its pool has */
async function nothingIsLeft({ admin }: Stage): Promise<void> {
  await eventually('sessions of the service that are idle, and no more than it may have', async () => {
    const ours = 'select state from pg_stat_activity where usename = $1';
    const { rows } = await admin.query(ours, [roles.service]);
    expect(rows.filter(({ state }) => state !== 'idle')).to.deep.equal([]);
    expect(rows.length).to.be.at.most(maxConnections);
  });
}
