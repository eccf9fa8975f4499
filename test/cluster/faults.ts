import { expect } from 'chai';
import type { Recorder } from '../history/workload/recorder.ts';
import { eventually } from '../support/eventually.ts';
import type { Machine } from './machine.ts';
import type { Stage } from './stage.ts';

interface Fault {
  readonly does: string;
  /** Resolves when the cluster has done about it what it has to; what it resolves with undoes its cause, if it lasts. */
  // biome-ignore lint/suspicious/noConfusingVoidType: for those without a cause that lasts
  run(stage: Stage, recorder: Recorder): Promise<(() => unknown) | void>;
}

/** The primary is lost: it is over when there is another one. */
function withoutPrimary(
  does: string,
  happens: (primary: Machine, stage: Stage, recorder: Recorder) => unknown,
  undo: (primary: Machine, stage: Stage) => unknown,
): Fault {
  const run = async (stage: Stage, recorder: Recorder) => {
    const primary = await stage.patroni.primary();
    await happens(primary, stage, recorder);
    await stage.patroni.primary({ after: primary });
    return () => undo(primary, stage);
  };
  return { does, run };
}

async function startAgain(machine: Machine, { patroni }: Stage): Promise<void> {
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

const standbysOf = (primary: Machine, { patroni }: Stage) =>
  patroni.machines.filter((machine) => machine !== primary);

/** Updates that the primary makes before it is killed, where no standby has to have them. */
const acknowledged = 100;

export const faults: Readonly<Record<string, Fault>> = {
  'postgres-killed': {
    does: 'PostgreSQL is killed on the primary, and Patroni starts it again',
    run: async ({ patroni }, recorder) => {
      const felt = recorder.next(({ status }) => status === 503);
      process.kill(patroni.postmaster(await patroni.primary()), 'SIGKILL');
      await felt;
    },
  },
  'primary-killed': withoutPrimary(
    'all processes of the primary are killed',
    (primary) => primary.kill(),
    startAgain,
  ),
  'primary-stalled': withoutPrimary(
    'all processes of the primary are suspended, and killed when another one serves',
    (primary) => primary.freeze(),
    startAgain,
  ),
  'primary-cut-off': withoutPrimary(
    'no byte reaches or leaves the primary',
    (primary) => primary.unplug(),
    (primary) => primary.plugIn(),
  ),
  'primary-without-etcd': withoutPrimary(
    'the primary does not reach etcd, while callers and standbys reach the primary',
    (primary, { etcd }) => primary.cutOff(etcd.address),
    (primary, { etcd }) => primary.letThrough(etcd.address),
  ),
  'standbys-stalled': withoutPrimary(
    'nothing that the primary writes reaches a standby; then the primary is killed',
    async (primary, stage, recorder) => {
      for (const { address } of standbysOf(primary, stage)) primary.cutOff(address);
      // Where a standby has to have each update, none is acknowledged any more.
      await Promise.race([recorder.updates(acknowledged), aCommitWaits(stage)]);
      await primary.kill();
    },
    (primary, stage) => {
      for (const { address } of standbysOf(primary, stage)) primary.letThrough(address);
      stage.patroni.start(primary);
    },
  ),
  'standby-cut-off': {
    does: 'no byte reaches or leaves a standby',
    run: async (stage) => {
      const [standby] = standbysOf(await stage.patroni.primary(), stage);
      standby?.unplug();
      await aCommitWaits(stage);
      return () => standby?.plugIn();
    },
  },
  'switch-over': {
    does: 'the primary hands over, as planned',
    run: ({ patroni }) => patroni.switchOver(),
  },
  'rolling-upgrade': {
    does: 'the services are stopped and started again, one after the other',
    run: async (stage) => {
      for (const machine of stage.services) {
        await stage.stopService(machine);
        await stage.startService(machine);
        await stage.isServed(machine);
      }
    },
  },
};
