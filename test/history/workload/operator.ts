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
import type { Fact, Rewrite } from '../record.ts';
import type { Recorder } from './recorder.ts';
import { endSessions, type Store } from './store.ts';

/** The ports of one act, each call of which notes it by the act's request. */
function portsOf({ orm, pool }: Database, act: OperatorAct) {
  return {
    settings: new PostgresSettings(orm, act),
    keys: new PostgresAccessKeys(orm, act),
    history: new PostgresMirrorHistory(pool),
    moves: new PostgresMirrorMoves(pool, act),
    mirrors: new PostgresOperatorMirrors(pool, act),
    campaigns: openHotPath(pool, { named: false }).campaigns,
  };
}

export type Ports = ReturnType<typeof portsOf>;

/** Somebody with the operator's rights, who finds out what has become of an act whose answer was lost. */
export class Operator {
  readonly #store: Store;
  readonly #recorder: Recorder;
  readonly #name: string;
  /** A new one after a fault: MikroORM never gives back a connection that died in a transaction. */
  #database: Database;
  #acts = 0;

  private constructor(store: Store, recorder: Recorder, name: string, database: Database) {
    this.#store = store;
    this.#recorder = recorder;
    this.#name = name;
    this.#database = database;
  }

  static async open(store: Store, recorder: Recorder): Promise<Operator> {
    const name = `operator ${randomUUID()}`;
    return new Operator(store, recorder, name, await databaseOf(store, name));
  }

  close(): Promise<unknown> {
    return this.#database.close();
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
    const act: OperatorAct = { operator: 'history', requestId: `${this.#name} ${this.#acts}` };
    const begin = this.#recorder.now();
    const told = await run(portsOf(this.#database, act)).then(
      () => ({ audited: undefined, isUnsure: false }),
      async (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        return { audited: await this.#settle(act), isUnsure: true };
      },
    );
    return { ...told, requestId: act.requestId, begin, end: this.#recorder.now() };
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
        void this.#database.close(0);
        this.#database = await databaseOf(this.#store, this.#name);
        return rows.find(({ audited }) => audited);
      } catch {
        // The database is away.
        await pause(20);
      }
  }
}

const limits = { ...defaultPoolLimits, size: 2 };

function databaseOf(store: Store, name: string): Promise<Database> {
  return openDatabase(store.address('operator'), limits, name);
}
