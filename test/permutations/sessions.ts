import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '@campaign-mirror/adapters-persistence';
import type pg from 'pg';
import { connect } from '../support/database/client.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import type { Act, Actor, Seen } from './acts.ts';

/*
 * Sessions that take their steps in a given order, as PostgreSQL's own isolation tester has them: a step whose session
 * waits for a lock is left waiting, and the others continue.
 */

/** What a session did between `begin` and its end, with the moments of the order at which it did so. */
export interface Transaction {
  readonly session: number;
  readonly acts: { readonly act: Act; readonly seen: Seen; readonly began: number; readonly ended: number }[];
  /** When it sent its first statement, since `begin` alone sees nothing. */
  began: number;
  ended: number;
  committed: boolean;
}

interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly steps: Actor['steps'];
  at: number;
  running: Promise<void> | undefined;
  transaction: Transaction | undefined;
  /** Whether its present step had to wait, and the database's time at which it still did, in microseconds. */
  waited: boolean;
  waitedUntil: number;
}

/** Chooses which of these sessions takes the next step. */
export type Choose = (options: readonly number[]) => number;

/** How long a step may take before the database is asked whether it waits, in milliseconds. */
const usually = 2;

/** The connections of one worker, in a database of its own. They are used again for each order. */
export function connections(database: TestDatabase) {
  const kept = new Map<string, Promise<{ client: pg.Client; pid: number }>>();
  const opened = async (role: Role) => {
    const client = await connect(database.address(role));
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return { client, pid: rows[0].pid as number };
  };
  const of = (role: Role, nth: number) => {
    const made = kept.get(`${role} ${nth}`) ?? opened(role);
    kept.set(`${role} ${nth}`, made);
    return made;
  };
  const observer = database.admin;
  const isBlocked = async (pid: number) => {
    const text = 'select cardinality(pg_blocking_pids($1)) > 0 as blocked';
    return (await observer.query({ name: 'blocked', text, values: [pid] })).rows[0].blocked as boolean;
  };
  const clock = async () => {
    const text = 'select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now';
    return Number((await observer.query({ name: 'clock', text })).rows[0].now);
  };
  const close = async () => {
    for (const one of kept.values()) await (await one).client.end();
  };

  /** Runs all steps of the actors, each next one by the session that `choose` names. */
  async function play(actors: readonly Actor[], choose: Choose): Promise<Transaction[]> {
    const transactions: Transaction[] = [];
    let moment = 0;
    const sessions: Session[] = [];
    for (const [nth, { role, steps, prepare }] of actors.entries()) {
      const { client, pid } = await of(role, nth);
      await prepare?.(client);
      const session = {
        client,
        pid,
        steps,
        at: 0,
        running: undefined,
        transaction: undefined,
        waited: false,
        waitedUntil: 0,
      };
      sessions.push(session);
    }

    async function act(nth: number, session: Session, step: Act): Promise<void> {
      const began = ++moment;
      const fresh = () => ({
        session: nth,
        acts: [],
        began,
        ended: Number.POSITIVE_INFINITY,
        committed: false,
      });
      const transaction: Transaction = session.transaction ?? fresh();
      if (!session.transaction) transactions.push(transaction);
      session.transaction = transaction;
      const seen = await step.run(session.client).catch((error) => ({ error: `${error.code ?? error}` }));
      const ended = ++moment;
      const { waited, waitedUntil } = session;
      transaction.acts.push({ act: step, seen: { ...seen, waited, waitedUntil }, began, ended });
      if (step.alone) end(session, true);
    }

    function end(session: Session, committed: boolean): void {
      if (session.transaction) Object.assign(session.transaction, { ended: ++moment, committed });
      session.transaction = undefined;
    }

    async function take(nth: number, session: Session): Promise<void> {
      const step = session.steps[session.at] as Actor['steps'][number];
      if (typeof step !== 'string') return act(nth, session, step);
      const { command } = await session.client.query(step);
      if (step !== 'begin') end(session, command === 'COMMIT');
    }

    /** Until the session has taken its step, or waits for a lock. */
    async function settle(session: Session): Promise<void> {
      for (let { running } = session; running; running = session.running) {
        await Promise.race([running, pause(usually)]);
        if (session.running === undefined || !(await isBlocked(session.pid))) continue;
        session.waited = true;
        return;
      }
    }

    for (;;) {
      const waiting = sessions.filter(({ running }) => running);
      const options = [...sessions.keys()].filter((nth) => {
        const { running, at, steps } = sessions[nth] as Session;
        return !running && at < steps.length;
      });
      if (options.length > 0) {
        const chosen = choose(options);
        const session = sessions[chosen] as Session;
        if (waiting.length > 0) {
          const now = await clock();
          for (const one of waiting) one.waitedUntil = now;
        }
        Object.assign(session, { waited: false, waitedUntil: 0 });
        session.running = take(chosen, session).then(() => {
          session.running = undefined;
          session.at += 1;
        });
        // One that ends while the others settle can let one go that was found waiting.
        const left = () => sessions.filter(({ running }) => running).length;
        for (let before = Number.NaN; before !== left(); ) {
          before = left();
          for (const one of [session, ...waiting]) await settle(one);
        }
      } else if (waiting.length > 0) await Promise.race(waiting.map(({ running }) => running));
      else break;
    }
    for (const [nth, { last }] of actors.entries()) if (last) await act(nth, sessions[nth] as Session, last);
    return transactions;
  }
  return { play, observer, close };
}

/**
 * Every order that is possible, one at each call of `play`, with the sessions that wait left out: at the end of a run the
 * last choice that has another option is made otherwise, and the next run repeats all choices before it. Which of two
 * sessions waits for the other is PostgreSQL's affair, and may differ between two runs. Returns how many runs there were.
 */
export async function everyOrder(play: (choose: Choose) => Promise<unknown>): Promise<number> {
  const path: { options: string; of: number; chosen: number }[] = [];
  for (let orders = 1; ; orders++) {
    let depth = 0;
    await play((options) => {
      path[depth] ??= { options: `${options}`, of: options.length, chosen: 0 };
      const choice = path[depth++] as (typeof path)[number];
      if (choice.options !== `${options}`) {
        // PostgreSQL let others go first this time. Both ways are orders; the rest of this one is seen from here.
        path.length = depth;
        const chosen = Math.min(choice.chosen, options.length - 1);
        Object.assign(choice, { options: `${options}`, of: options.length, chosen });
      }
      return options[choice.chosen] as number;
    });
    for (let last = path.pop(); ; last = path.pop()) {
      if (!last) return orders;
      if (++last.chosen < last.of) {
        path.push(last);
        break;
      }
    }
  }
}
