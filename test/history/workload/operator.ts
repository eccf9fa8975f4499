import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  defaultPoolLimits,
  openDatabase,
  PostgresAccessKeys,
  PostgresSettings,
  postgresMirrorMoves,
} from '@campaign-mirror/adapters-persistence';
import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import type { Fact, Rewrite } from '../record.ts';
import type { Recorder } from './recorder.ts';
import { endSessions, type Store } from './store.ts';

/** The ports of one act, each call of which notes it by the act's request. */
function portsOf({ orm, pool }: Database, act: OperatorAct) {
  return {
    settings: new PostgresSettings(orm, act),
    keys: new PostgresAccessKeys(orm, act),
    moves: postgresMirrorMoves(pool, act),
  };
}

export type Ports = ReturnType<typeof portsOf>;

/** Somebody with the operator's rights, who finds out what has become of an act whose answer was lost. */
export class Operator {
  readonly #store: Store;
  readonly #recorder: Recorder;
  readonly #name = `operator-${randomUUID()}`;
  #database: Database | undefined;
  #acts = 0;

  constructor(store: Store, recorder: Recorder) {
    this.#store = store;
    this.#recorder = recorder;
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  /** Acts, and records what it came to. `settled`: the same, where only the audit tells that it was done. */
  async change(
    run: (ports: Ports) => Promise<Fact[]>,
    settled: (audited: { readonly campaign: number }) => Fact[],
  ): Promise<readonly Fact[]> {
    let facts: Fact[] = [];
    const { audited, begin, end } = await this.#act(async (ports) => {
      facts = await run(ports);
    });
    if (audited) facts = settled(audited);
    this.#recorder.acts.push(...facts.map((fact) => ({ ...fact, begin, end })));
    return facts;
  }

  /** The same for what writes mirrors: `wrote` is told as it is done. */
  async rewrite(run: (ports: Ports, wrote: Rewrite['wrote'][number][]) => Promise<void>): Promise<void> {
    const wrote: Rewrite['wrote'][number][] = [];
    const { audited: _, ...act } = await this.#act((ports) => run(ports, wrote));
    this.#recorder.rewrites.push({ ...act, wrote });
  }

  /** `audited`: what the audit says of it, where its answer was lost, and it was committed. */
  async #act(run: (ports: Ports) => Promise<void>) {
    this.#acts += 1;
    const act: OperatorAct = { operator: 'history', requestId: `${this.#name}-${this.#acts}` };
    const begin = performance.now();
    this.#database ??= await openDatabase(this.#store.address('operator'), limits, this.#name);
    const told = await run(portsOf(this.#database, act)).then(
      () => ({ audited: undefined, isUnsure: false }),
      async (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        return { audited: await this.#settle(act), isUnsure: true };
      },
    );
    return { ...told, requestId: act.requestId, begin, end: performance.now() };
  }

  /** When its sessions are gone it is known whether the act was done. */
  async #settle({ requestId }: OperatorAct): Promise<{ readonly campaign: number } | undefined> {
    for (;;)
      try {
        await endSessions(this.#store, 'application_name = $1', [this.#name]);
        // Where a standby has to have it first, the message, which is written, makes the answer wait for what it tells.
        const { rows } = await this.#store.admin.query(
          `select campaign_id::float8 as campaign, id is not null as audited
          from pg_logical_emit_message(true, 'history', 'settled')
          left join campaign_mirror.operator_audit on request_id = $1`,
          [requestId],
        );
        // A new one: MikroORM never gives back a connection that died in a transaction.
        void this.#database?.close(0);
        this.#database = undefined;
        return rows.find(({ audited }) => audited);
      } catch {
        // The database is away.
        await pause(20);
      }
  }
}

const limits = { ...defaultPoolLimits, size: 2 };
