import { expect } from 'chai';
import type { Recorder } from '../history/workload/recorder.ts';
import { eventually } from '../support/promises.ts';
import type { Machine } from './machine.ts';
import type { Stage } from './stage.ts';

/** Resolves when the cluster has reacted, with a function that removes a lasting cause. */
// biome-ignore lint/suspicious/noConfusingVoidType: some faults have no lasting cause
type Fault = (stage: Stage, recorder: Recorder) => Promise<(() => unknown) | void>;

/** A fault of the primary, which ends when the cluster has another primary. */
function withoutPrimary(
  happens: (primary: Machine, stage: Stage) => unknown,
  undo: (primary: Machine, stage: Stage) => unknown,
): Fault {
  return async (stage) => {
    const primary = await stage.patroni.primary();
    await happens(primary, stage);
    await stage.patroni.primary({ after: primary });
    return () => undo(primary, stage);
  };
}

function aCommitWaits({ store }: Stage): Promise<void> {
  return eventually('a commit that waits', async () => {
    const waiting = "select from pg_stat_activity where wait_event = 'SyncRep'";
    expect((await store.admin.query(waiting)).rowCount).to.be.greaterThan(0);
  });
}

const standbysOf = (primary: Machine, { patroni }: Stage) =>
  patroni.machines.filter((machine) => machine !== primary);

export const faults: Readonly<Record<string, Fault>> = {
  'postgres-killed': async ({ patroni }, recorder) => {
    const felt = recorder.next(({ status }) => status === 503);
    process.kill(patroni.postmaster(await patroni.primary()), 'SIGKILL');
    await felt;
  },
  'primary-killed': withoutPrimary(
    (primary) => primary.kill(),
    (primary, { patroni }) => patroni.start(primary),
  ),
  'primary-cut-off': withoutPrimary(
    (primary) => primary.unplug(),
    (primary) => primary.plugIn(),
  ),
  /** Callers and standbys still reach the primary. */
  'primary-without-etcd': withoutPrimary(
    (primary, { etcd }) => primary.cutOff(etcd.address),
    (primary, { etcd }) => primary.letThrough(etcd.address),
  ),
  /** No write of the primary reaches a standby; then the primary is killed. */
  'standbys-stalled': withoutPrimary(
    async (primary, stage) => {
      for (const { address } of standbysOf(primary, stage)) primary.cutOff(address);
      // No update is acknowledged without a standby.
      await aCommitWaits(stage);
      await primary.kill();
    },
    (primary, stage) => {
      for (const { address } of standbysOf(primary, stage)) primary.letThrough(address);
      stage.patroni.start(primary);
    },
  ),
  'standby-cut-off': async (stage) => {
    const [standby] = standbysOf(await stage.patroni.primary(), stage);
    standby?.unplug();
    await aCommitWaits(stage);
    return () => standby?.plugIn();
  },
  'switch-over': ({ patroni }) => patroni.switchOver(),
};
