import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  defaultPoolLimits,
  openDatabase,
  openHotPath,
  PostgresAccessKeys,
  PostgresMirrorHistory,
  PostgresMirrorMoves,
  PostgresOperatorMirrors,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import type { OperatorsAct } from '../record.ts';
import type { Recorder } from './recorder.ts';
import { endSessions, type Store } from './store.ts';

/** The ports of one act, each call of which notes it by the act's request; `wrote` is told as it is done. */
function portsOf({ orm, pool }: Database, act: OperatorAct, wrote: OperatorsAct['wrote'][number][]) {
  return {
    settings: new PostgresSettings(orm, act),
    keys: new PostgresAccessKeys(orm, act),
    history: new PostgresMirrorHistory(pool),
    moves: new PostgresMirrorMoves(pool, act),
    mirrors: new PostgresOperatorMirrors(pool, act),
    campaigns: openHotPath(pool, { named: false }).campaigns,
    wrote,
  };
}

export type Ports = ReturnType<typeof portsOf>;
export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** Somebody with the operator's rights. What an act has changed is read from the audit in the end. */
export async function openOperator(store: Store, recorder: Recorder) {
  const name = `operator ${randomUUID()}`;
  const open = () => openDatabase(store.address('operator'), { ...defaultPoolLimits, size: 2 }, name);
  let database = await open();
  let acts = 0;

  /** When its sessions are gone, an act whose answer was lost is done or will never be. */
  async function settle(): Promise<void> {
    for (;;)
      try {
        await endSessions(store, 'application_name = $1', [name]);
        // MikroORM never gives back a connection that died in a transaction.
        void database.close(0);
        database = await open();
        return;
      } catch {
        // The database is away.
        await pause(20);
      }
  }

  return {
    async act(run: (ports: Ports) => Promise<unknown>): Promise<void> {
      const requestId = `${name} ${++acts}`;
      const wrote: OperatorsAct['wrote'][number][] = [];
      const begin = recorder.now();
      let isUnsure = false;
      try {
        await run(portsOf(database, { operator: 'history', requestId }, wrote));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        isUnsure = true;
        await settle();
      }
      recorder.acts.push({ requestId, begin, end: recorder.now(), wrote, isUnsure });
    },
    close: () => database.close(),
  };
}
