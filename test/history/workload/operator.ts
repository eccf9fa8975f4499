import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as persistence from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import type { Fact } from '../record.ts';
import type { Recorder } from './recorder.ts';
import { endSessions, type Store } from './store.ts';

function portsOf({ orm, pool }: persistence.Database, act: OperatorAct) {
  return {
    settings: new persistence.PostgresSettings(orm, act),
    keys: new persistence.PostgresAccessKeys(orm, act),
    mirrors: persistence.postgresOperatorMirrors(pool, act),
  };
}

export type Ports = ReturnType<typeof portsOf>;

const limits = { ...persistence.defaultPoolLimits, size: 2 };

export type Operator = ReturnType<typeof operatorOn>;

/** An operator that finds out whether an act whose answer was lost was committed. */
export function operatorOn(store: Store, recorder: Recorder) {
  const name = `operator-${randomUUID()}`;
  let database: persistence.Database | undefined;
  let acts = 0;

  /** Ends the operator's sessions, so that nothing is committed any more, and reads the audit. */
  async function audited({ requestId }: OperatorAct): Promise<{ readonly campaign: number } | undefined> {
    for (;;)
      try {
        await endSessions(store, 'application_name = $1', [name]);
        // The message is written, so the answer waits until a synchronous standby has all before it.
        const { rows } = await store.admin.query(
          `select campaign_id::float8 as campaign, id is not null as audited
          from pg_logical_emit_message(true, 'history', 'resolved')
          left join campaign_mirror.operator_audit on request_id = $1`,
          [requestId],
        );
        // MikroORM never gives back a connection that died in a transaction: the next act opens a new pool.
        void database?.close(0);
        database = undefined;
        return rows.find(({ audited }) => audited);
      } catch {
        await pause(20);
      }
  }

  /** Acts, and records the fact. `fromAudit` gives the fact if the answer was lost and the audit has an entry. */
  async function change<Made extends Fact>(
    run: (ports: Ports) => Promise<Made | undefined>,
    fromAudit: (campaign: number) => Made | undefined = () => undefined,
  ): Promise<Made | undefined> {
    acts += 1;
    const act: OperatorAct = { operator: 'history', requestId: `${name}-${acts}` };
    const begin = performance.now();
    database ??= await persistence.openDatabase(store.address('operator'), limits, name);
    const fact = await run(portsOf(database, act)).catch(async (error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
      const entry = await audited(act);
      return entry && fromAudit(entry.campaign);
    });
    const request = { requestId: act.requestId, begin, end: performance.now() };
    recorder.operators.push(request);
    if (fact) recorder.acts.push({ ...fact, ...request });
    return fact;
  }

  return { change, close: async () => database?.close() };
}
