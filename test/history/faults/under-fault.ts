import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { eventually } from '../../support/promises.ts';
import { violationsOf } from '../check.ts';
import { Random } from '../workload/known.ts';
import { recorded } from '../workload/run.ts';
import type { Fault } from './faults.ts';
import { openStage, type Stage } from './stage.ts';

/** Updates that are made before the fault and after it. */
const around = 100;
/** Connections of the service, at most: its pool, one that looks whether the database is there, and one by it that is being made. */
const maxConnections = 10 + 2;
/** Of what the processes held before. */
const mostMemory = 1.2;

/**
 * Lets everybody work, brings the fault about, and looks whether all is as it was before. `recovery`: the milliseconds
 * from when its cause was gone to the next 200; `memory`: what the processes hold after it, as a part of what they held
 * before.
 */
export async function underFault(fault: Fault, seed: number, processes: number) {
  const stage = await openStage(processes);
  let [recovery, memory] = [Number.NaN, Number.NaN];
  try {
    const workload = { store: stage, base: stage.base, seed, afterwards: () => nothingIsLeft(stage) };
    const record = await recorded(workload, async (recorder) => {
      await recorder.updates(around);
      const before = await stage.memory();
      await fault(stage, { recorder, random: new Random(seed) });
      const gone = performance.now();
      recovery = (await recorder.next(({ status }) => status === 200)).end - gone;
      await recorder.updates(around);
      await eventually('memory that is given back', async () => {
        memory = (await stage.memory()) / before;
        expect(memory).to.be.below(mostMemory);
      });
    });
    return { record, violations: violationsOf(record), recovery, memory };
  } finally {
    await stage.close();
  }
}

/** @throws if a session of the service is in a transaction, or there are more of them than its pool has */
async function nothingIsLeft({ admin }: Stage): Promise<void> {
  await eventually('sessions of the service that are idle, and no more than it may have', async () => {
    const ours = 'select state from pg_stat_activity where usename = $1';
    const { rows } = await admin.query(ours, [roles.service]);
    expect(rows.filter(({ state }) => state !== 'idle')).to.deep.equal([]);
    expect(rows.length).to.be.at.most(maxConnections);
  });
}
