import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '@campaign-mirror/adapters-persistence/service';
import type pg from 'pg';
import { connect } from '../support/database/client.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import type { Act, Actor, Seen } from './acts.ts';

/*
 * Sessions that take their steps in a given order, as in PostgreSQL's own isolation tester: a step whose session waits
 * for a lock is left waiting, and the others continue.
 */

/** What a session did between `begin` and its end, with the moments of the order at which it did so. */
export interface Transaction {
  readonly session: number;
  readonly acts: { readonly act: Act; readonly seen: Seen; readonly began: number; readonly ended: number }[];
  /** When it sent its first statement: `begin` alone sees nothing. */
  readonly began: number;
  ended: number;
  committed: boolean;
}

interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly steps: Actor['steps'];
  at: number;
  running?: Promise<void> | undefined;
  transaction?: Transaction | undefined;
  /** The last moment of the order at which its present step waited; 0 if it did not. */
  waitedAt: number;
}

/** Chooses which of these sessions takes the next step. */
export type Choose = (options: readonly number[]) => number;

/** Resolves with the processes that wait for a lock. Several workers share a query, every 2 ms. */
export function waitingOn({ admin }: TestDatabase) {
  const text = 'select distinct pid from pg_locks where not granted';
  let pending: Promise<number[]> | undefined;
  return () => {
    pending ??= pause(2).then(async () => {
      pending = undefined;
      return (await admin.query({ name: 'waiting', text })).rows.map(({ pid }) => pid);
    });
    return pending;
  };
}

/** The connections of one worker. Each order reuses them. */
export function connections(database: TestDatabase, whoWaits: ReturnType<typeof waitingOn>) {
  const kept = new Map<string, Promise<{ client: pg.Client; pid: number }>>();
  const opened = async (role: Role) => {
    const client = await connect({ ...database.address(role), pipeline: true } as pg.ClientConfig);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return { client, pid: rows[0].pid as number };
  };
  const close = async () => {
    for (const one of kept.values()) await (await one).client.end();
  };

  /** Runs all steps of the actors, each by the session that `choose` names. */
  async function play(actors: readonly Actor[], choose: Choose): Promise<Transaction[]> {
    const transactions: Transaction[] = [];
    let moment = 0;
    const sessions: Session[] = [];
    for (const [nth, { role, steps, prepare }] of actors.entries()) {
      const name = `${role} ${nth}`;
      const connection = kept.get(name) ?? opened(role);
      kept.set(name, connection);
      const { client, pid } = await connection;
      await prepare?.(client);
      sessions.push({ client, pid, steps, at: 0, waitedAt: 0 });
    }

    async function act(nth: number, session: Session, step: Act): Promise<void> {
      const began = ++moment;
      const fresh = { session: nth, acts: [], began, ended: Number.POSITIVE_INFINITY, committed: false };
      const transaction: Transaction = session.transaction ?? fresh;
      if (!session.transaction) transactions.push(transaction);
      session.transaction = transaction;
      const seen = await step.run(session.client).catch((error) => ({ error: `${error.code ?? error}` }));
      const ended = ++moment;
      transaction.acts.push({ act: step, seen: { ...seen, waitedAt: session.waitedAt }, began, ended });
      if (step.alone) end(session, true);
    }

    function end(session: Session, committed: boolean): void {
      if (session.transaction) Object.assign(session.transaction, { ended: ++moment, committed });
      session.transaction = undefined;
    }

    async function take(nth: number, session: Session): Promise<void> {
      session.waitedAt = 0;
      const step = session.steps[session.at] as Actor['steps'][number];
      if (typeof step === 'string') {
        const { command } = await session.client.query(step);
        if (step !== 'begin') end(session, command === 'COMMIT');
      } else await act(nth, session, step);
      session.running = undefined;
      session.at += 1;
    }

    const running = () => sessions.filter((session) => session.running);

    /** Until each session has taken its step, or waits for a lock. A session that ends can let a waiting one go. */
    async function settle(): Promise<void> {
      for (let left = running(); left.length > 0; left = running()) {
        const waited = whoWaits();
        const waitedAt = moment;
        await Promise.race([Promise.all(left.map((session) => session.running)), waited]);
        if (running().length === 0) return;
        const pids = await waited;
        const waiting = running().filter(({ pid }) => pids.includes(pid));
        for (const session of waiting) session.waitedAt = waitedAt;
        if (waiting.length === left.length) return;
      }
    }

    for (;;) {
      const all = [...sessions.entries()];
      const options = all.filter(([, one]) => !one.running && one.at < one.steps.length).map(([nth]) => nth);
      if (options.length > 0) {
        const chosen = choose(options);
        const session = sessions[chosen] as Session;
        session.running = take(chosen, session);
      } else if (running().length > 0) await Promise.race(running().map((session) => session.running));
      else break;
      await settle();
    }
    for (const [nth, { last }] of actors.entries()) if (last) await act(nth, sessions[nth] as Session, last);
    return transactions;
  }
  return { play, close };
}

/** A step, and the choices that came up after it, by the sessions that could take the next one. */
interface Branch {
  readonly choices: Map<string, Map<number, Branch>>;
  isDone: boolean;
  /** Runs in a row that did not reach a choice below that is left. */
  misses: number;
}

const branch = (): Branch => ({ choices: new Map(), isDone: false, misses: 0 });
const mostMisses = 10;

/**
 * Calls `play` once for each possible order. Each run makes the choices of the one before as long as something is left
 * there. PostgreSQL decides which of several waiting sessions goes first, so two runs of the same steps may differ, and
 * both count. Returns the number of runs.
 */
export async function everyOrder(play: (choose: Choose) => Promise<unknown>): Promise<number> {
  const root = branch();
  let orders = 0;
  for (; !root.isDone; orders++) {
    const taken: Branch[] = [root];
    await play((options) => {
      const { choices } = taken.at(-1) as Branch;
      const open = choices.get(`${options}`) ?? new Map(options.map((session) => [session, branch()]));
      choices.set(`${options}`, open);
      const left = [...open].find(([, { isDone }]) => !isDone);
      const [session, next] = left ?? ([...open][0] as [number, Branch]);
      taken.push(next);
      return session;
    });
    const left = taken.findLast(({ isDone }) => !isDone) as Branch;
    if (left !== taken.at(-1)) left.misses += 1;
    else for (const one of taken) one.misses = 0;
    for (const one of taken.toReversed()) {
      const below = [...one.choices.values()].flatMap((open) => [...open.values()]);
      one.isDone ||= one.misses === mostMisses || below.every(({ isDone }) => isDone);
    }
  }
  return orders;
}
