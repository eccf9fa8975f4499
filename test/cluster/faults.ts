import { expect } from 'chai';
import type { Recorder } from '../history/workload/recorder.ts';
import { eventually } from '../support/eventually.ts';
import type { Machine } from './machine.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  readonly does: string;
  /** Resolves when the cluster has done about it what it has to; what it resolves with undoes its cause. */
  run(stage: Stage, recorder: Recorder): Promise<() => Promise<void>>;
}

/** Without the primary: resolves when there is another one. */
async function withoutPrimary(
  { patroni }: Stage,
  happens: (primary: Machine) => unknown,
  undo: (primary: Machine) => unknown,
): Promise<() => Promise<void>> {
  const primary = await patroni.primary();
  await happens(primary);
  await patroni.primaryAfter(primary);
  return async () => void (await undo(primary));
}

async function startAgain({ patroni }: Stage, machine: Machine): Promise<void> {
  await machine.kill();
  patroni.start(machine);
}

/** Resolves when a commit waits for a standby. */
function aCommitWaits({ store }: Stage): Promise<void> {
  return eventually('a commit that waits', async () => {
    const waiting = "select from pg_stat_activity where wait_event = 'SyncRep'";
    expect((await store.admin.query(waiting)).rowCount).to.be.greaterThan(0);
  });
}

/** Updates that the primary makes before it is killed, where no standby has to have them. */
const acknowledged = 100;

export const faults = {
  'postgres-killed': {
    does: 'PostgreSQL is killed on the primary, and Patroni starts it again',
    run: async ({ patroni }, recorder) => {
      const felt = recorder.next(({ status }) => status === 503);
      process.kill(patroni.postmaster(await patroni.primary()), 'SIGKILL');
      await felt;
      return async () => {};
    },
  },
  'primary-killed': {
    does: 'all processes of the primary are killed',
    run: (stage) =>
      withoutPrimary(
        stage,
        (primary) => primary.kill(),
        (primary) => startAgain(stage, primary),
      ),
  },
  'primary-stalled': {
    does: 'all processes of the primary are suspended, and killed when another one serves',
    run: (stage) =>
      withoutPrimary(
        stage,
        (primary) => primary.freeze(),
        (primary) => startAgain(stage, primary),
      ),
  },
  'primary-cut-off': {
    does: 'no byte reaches or leaves the primary',
    run: (stage) =>
      withoutPrimary(
        stage,
        (primary) => primary.unplug(),
        (primary) => primary.plugIn(),
      ),
  },
  'primary-without-etcd': {
    does: 'the primary does not reach etcd, while callers and standbys reach the primary',
    run: (stage) =>
      withoutPrimary(
        stage,
        (primary) => primary.cutOff(stage.etcd.address),
        (primary) => primary.letThrough(stage.etcd.address),
      ),
  },
  'standbys-stalled': {
    does: 'nothing that the primary writes reaches a standby; then the primary is killed',
    run: async (stage, recorder) => {
      const { machines } = stage.patroni;
      const standbys = (primary: Machine) => machines.filter((machine) => machine !== primary);
      return withoutPrimary(
        stage,
        async (primary) => {
          for (const { address } of standbys(primary)) primary.cutOff(address);
          // Where a standby has to have each update, none is acknowledged any more.
          await Promise.race([recorder.updates(acknowledged), aCommitWaits(stage)]);
          await primary.kill();
        },
        (primary) => {
          for (const { address } of standbys(primary)) primary.letThrough(address);
          stage.patroni.start(primary);
        },
      );
    },
  },
  'standby-cut-off': {
    does: 'no byte reaches or leaves a standby',
    run: async (stage) => {
      const { machines } = stage.patroni;
      const primary = await stage.patroni.primary();
      const standby = machines.find((machine) => machine !== primary) as Machine;
      standby.unplug();
      await aCommitWaits(stage);
      return async () => standby.plugIn();
    },
  },
  'switch-over': {
    does: 'the primary hands over, as planned',
    run: async ({ patroni }) => {
      await patroni.switchOver();
      return async () => {};
    },
  },
  'rolling-upgrade': {
    does: 'the services are stopped and started again, one after the other',
    run: async (stage) => {
      for (const machine of stage.services) {
        await stage.stopService(machine);
        await stage.startService(machine);
        await stage.isServed(machine);
      }
      return async () => {};
    },
  },
} satisfies Record<string, Fault>;
