import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '@campaign-mirror/adapters-persistence/service';
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
  readonly began: number;
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
  /** The database's time at which its present step still waited, in microseconds; 0 if it did not. */
  waitedUntil: number;
  /** The moment of the order at which it was seen waiting; 0 if it was not. */
  waitedAt: number;
}

/** Chooses which of these sessions takes the next step, while others wait for locks. */
export type Choose = (options: readonly number[], waiting: readonly number[]) => number;

/** In milliseconds, the longest time until the database is asked who waits. */
const usually = 2;

const waitingText = `select (extract(epoch from clock_timestamp()) * 1000000)::float8 as now,
  array(select distinct pid from pg_locks where not granted) as pids`;

/** Resolves with who waits, and the database's time at which they did, in microseconds. Several ask together. */
export function waitingOn({ admin }: TestDatabase) {
  type Waiting = { readonly now: number; readonly pids: readonly number[] };
  let asked: Promise<Waiting> | undefined;
  return () => {
    asked ??= pause(usually).then(async () => {
      asked = undefined;
      return (await admin.query<Waiting>({ name: 'waiting', text: waitingText })).rows[0] as Waiting;
    });
    return asked;
  };
}

/** The connections of one worker, in a database of its own. They are used again for each order. */
export function connections(database: TestDatabase, whoWaits = waitingOn(database)) {
  const kept = new Map<string, Promise<{ client: pg.Client; pid: number }>>();
  const opened = async (role: Role) => {
    const client = await connect({ ...database.address(role), pipeline: true } as pg.ClientConfig);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return { client, pid: rows[0].pid as number };
  };
  const of = (role: Role, nth: number) => {
    const made = kept.get(`${role} ${nth}`) ?? opened(role);
    kept.set(`${role} ${nth}`, made);
    return made;
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
      const connection = await of(role, nth);
      await prepare?.(connection.client);
      sessions.push({
        ...connection,
        steps,
        at: 0,
        running: undefined,
        transaction: undefined,
        waitedUntil: 0,
        waitedAt: 0,
      });
    }

    async function act(nth: number, session: Session, step: Act): Promise<void> {
      const began = ++moment;
      const fresh = { session: nth, acts: [], began, ended: Number.POSITIVE_INFINITY, committed: false };
      const transaction: Transaction = session.transaction ?? fresh;
      if (!session.transaction) transactions.push(transaction);
      session.transaction = transaction;
      const seen = await step.run(session.client).catch((error) => ({ error: `${error.code ?? error}` }));
      const ended = ++moment;
      const { waitedUntil, waitedAt } = session;
      transaction.acts.push({ act: step, seen: { ...seen, waitedUntil, waitedAt }, began, ended });
      if (step.alone) end(session, true);
    }

    function end(session: Session, committed: boolean): void {
      if (session.transaction) Object.assign(session.transaction, { ended: ++moment, committed });
      session.transaction = undefined;
    }

    async function take(nth: number, session: Session): Promise<void> {
      const step = session.steps[session.at] as Actor['steps'][number];
      if (typeof step === 'string') {
        const { command } = await session.client.query(step);
        if (step !== 'begin') end(session, command === 'COMMIT');
      } else await act(nth, session, step);
      session.running = undefined;
      session.at += 1;
    }

    const running = () => sessions.filter((session) => session.running);

    /** Until each session has taken its step, or waits for a lock. One that ends can let one go that was found waiting. */
    async function settle(): Promise<void> {
      for (let left = running(); left.length > 0; left = running()) {
        const asked = whoWaits();
        const waitedAt = moment;
        await Promise.race([Promise.all(left.map((session) => session.running)), asked]);
        if (running().length === 0) return;
        const { now, pids } = await asked;
        const waiting = running().filter(({ pid }) => pids.includes(pid));
        for (const session of waiting) Object.assign(session, { waitedUntil: now, waitedAt });
        if (waiting.length === left.length) return;
      }
    }

    for (;;) {
      const all = [...sessions.entries()];
      const options = all.filter(([, one]) => !one.running && one.at < one.steps.length).map(([nth]) => nth);
      const waiting = all.filter(([, one]) => one.running).map(([nth]) => nth);
      if (options.length > 0) {
        const chosen = choose(options, waiting);
        const session = sessions[chosen] as Session;
        Object.assign(session, { waitedUntil: 0, waitedAt: 0 });
        session.running = take(chosen, session);
      } else if (waiting.length > 0) await Promise.race(running().map((session) => session.running));
      else break;
      await settle();
    }
    for (const [nth, { last }] of actors.entries()) if (last) await act(nth, sessions[nth] as Session, last);
    return transactions;
  }
  return { play, close };
}

/** A step that was taken, and the choices that came up after it, by who could go then. */
interface Branch {
  readonly session: number;
  readonly choices: Map<string, Branch[]>;
  isDone: boolean;
  /** Runs in a row that should have come to a choice below that is left, and did not. */
  misses: number;
}

const branchOf = (session: number): Branch => ({ session, choices: new Map(), isDone: false, misses: 0 });
const mostMisses = 10;

/** Two sessions, by their place among the actors. */
type Relation = (one: number, other: number) => boolean;
const never: Relation = () => false;

/**
 * Every order that is possible, one at each call of `play`, with the sessions that wait left out: each run makes the same
 * choices as the one before as long as something is left there. Which of several sessions that wait goes first is PostgreSQL's affair,
 * and may differ between two runs of the same steps: both ways are orders. Returns how many runs there were.
 *
 * One order stands for those that differ from it only in what cannot matter. Of `twins`, which take the same steps, the
 * first one begins. Two steps in a row of sessions that are `apart`, also from those that wait, which either step may let
 * go, lead to the same, whichever comes first: a step that was tried is passed over until one is taken that it is not apart
 * from (known as sleep sets).
 */
export async function everyOrder(
  play: (choose: Choose) => Promise<unknown>,
  { twins = never, apart = never }: { readonly twins?: Relation; readonly apart?: Relation } = {},
): Promise<number> {
  const root = branchOf(-1);
  let orders = 0;
  for (; !root.isDone; orders++) {
    const taken = [root];
    let tried: readonly number[] = [];
    await play((options, waiting) => {
      const last = taken.at(-1) as Branch;
      const passedOver = (one: number, earlier: readonly Branch[]) =>
        [...tried, ...earlier.map(({ session }) => session)].filter((other) =>
          [one, ...waiting].every((third) => apart(third, other)),
        );
      const open = last.choices.get(`${options}`) ?? [];
      last.choices.set(`${options}`, open);
      if (open.length === 0) {
        const begun = taken.map(({ session }) => session);
        for (const one of options) {
          const isSecond = options.some(
            (other) => other < one && !begun.includes(other) && twins(one, other),
          );
          const left = passedOver(one, open);
          // Otherwise nobody is left to take a step after which it is its turn.
          const comes = left.every((other) =>
            options.some((third) => !left.includes(third) && !apart(other, third)),
          );
          if (!tried.includes(one) && !isSecond && comes) open.push(branchOf(one));
        }
        if (open.length === 0) open.push(branchOf(options[0] as number));
      }
      const nth = Math.max(
        0,
        open.findIndex(({ isDone }) => !isDone),
      );
      const next = open[nth] as Branch;
      tried = passedOver(next.session, open.slice(0, nth));
      taken.push(next);
      return next.session;
    });
    const left = taken.findLast(({ isDone }) => !isDone) as Branch;
    if (left !== taken.at(-1)) left.misses += 1;
    else for (const branch of taken) branch.misses = 0;
    for (const branch of taken.toReversed())
      branch.isDone ||=
        branch.misses === mostMisses || [...branch.choices.values()].flat().every(({ isDone }) => isDone);
  }
  return orders;
}
