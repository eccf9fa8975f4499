import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as persistence from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';
import type { OperatorAct } from '@campaign-mirror/domain/operator';
import type { Fact, Rewrite } from '../record.ts';
import type { Recorder } from './recorder.ts';
import { endSessions, type Store } from './store.ts';

/** The ports of one act, each call of which notes it by the act's request. */
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

/** Somebody with the operator's rights, who finds out what has become of an act whose answer was lost. */
export function operatorOn(store: Store, recorder: Recorder) {
  const name = `operator-${randomUUID()}`;
  let database: persistence.Database | undefined;
  let acts = 0;

  /** `audited`: what the audit says of it, where its answer was lost, and it was committed. */
  async function act(run: (ports: Ports) => Promise<void>) {
    acts += 1;
    const one: OperatorAct = { operator: 'history', requestId: `${name}-${acts}` };
    const begin = performance.now();
    database ??= await persistence.openDatabase(store.address('operator'), limits, name);
    const told = await run(portsOf(database, one)).then(
      () => ({ audited: undefined, isUnsure: false }),
      async (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        return { audited: await settle(one), isUnsure: true };
      },
    );
    return { ...told, requestId: one.requestId, begin, end: performance.now() };
  }

  /** When its sessions are gone it is known whether the act was done. */
  async function settle({ requestId }: OperatorAct): Promise<{ readonly campaign: number } | undefined> {
    for (;;)
      try {
        await endSessions(store, 'application_name = $1', [name]);
        // Where a standby has to have it first, the message, which is written, makes the answer wait for what it tells.
        const { rows } = await store.admin.query(
          `select campaign_id::float8 as campaign, id is not null as audited
          from pg_logical_emit_message(true, 'history', 'settled')
          left join campaign_mirror.operator_audit on request_id = $1`,
          [requestId],
        );
        // A new one: MikroORM never gives back a connection that died in a transaction.
        void database?.close(0);
        database = undefined;
        return rows.find(({ audited }) => audited);
      } catch {
        // The database is away.
        await pause(20);
      }
  }

  return {
    close: async () => database?.close(),
    /** Acts, and records what it came to. `settled`: the same, where only the audit tells that it was done. */
    async change(
      run: (ports: Ports) => Promise<Fact[]>,
      settled: (audited: { readonly campaign: number }) => Fact[],
    ): Promise<readonly Fact[]> {
      let facts: Fact[] = [];
      const { audited, begin, end } = await act(async (ports) => {
        facts = await run(ports);
      });
      if (audited) facts = settled(audited);
      recorder.acts.push(...facts.map((fact) => ({ ...fact, begin, end })));
      return facts;
    },
    /** The same for what writes mirrors: `wrote` is told as it is done. */
    async rewrite(run: (ports: Ports, wrote: Rewrite['wrote'][number][]) => Promise<void>): Promise<void> {
      const wrote: Rewrite['wrote'][number][] = [];
      const { audited: _, ...done } = await act((ports) => run(ports, wrote));
      recorder.rewrites.push({ ...done, wrote });
    },
  };
}
