import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { type Case, casesOf, type With } from './case.ts';
import { ContractViolation, expectThat } from './expectations.ts';

/**
 * Makes the call, and awaits `before` ahead of each of its steps, which are numbered from 0: its statements, as a rule,
 * with those that begin and commit a transaction. A step for which it resolves to `break` fails as it does when the
 * store goes away: it is not done, and what was not committed is lost.
 */
export type Steps = <T>(
  call: () => Promise<T>,
  before: (step: number) => Promise<'go on' | 'break'>,
) => Promise<T>;

/** Makes a call of the adapter, and a change by others at some moment of it; gives what the call answers. */
type Meanwhile = <T>(call: () => Promise<T>, change: () => Promise<unknown>) => Promise<T>;
/** `calls`: how many to make at once, where those that wait for one another show more. */
type Round = (meanwhile: Meanwhile, nth: number, calls: number) => Promise<void>;

/** A race has so many rounds, or as many as fit into this time in milliseconds. */
const rounds = 40;
const longest = 5_000;
/** So long a step waits for a change, in milliseconds: it may itself wait for what the call has locked. */
const blocked = 50;

/**
 * Two cases: with a change at any moment of the call, and, where the world has steps, ahead of each of them. `prepare`
 * gives the rounds, each of which throws a `ContractViolation` when a fault shows. Where chance can look like a fault,
 * it has to show in so many rounds of a race that are `enough`.
 */
export function meanwhileCases<World extends { steps?: Steps }, Needed extends keyof World & string = never>(
  needs: readonly Needed[],
  name: string,
  prepare: (world: With<World, Needed>) => Promise<Round>,
  enough = 1,
): readonly Case<World>[] {
  const raced = async (world: With<World, Needed>) => race(await prepare(world), enough);
  const stepped = async (world: With<World, Needed | 'steps'>) =>
    stepwise(world.steps as Steps, await prepare(world));
  return [
    ...casesOf<World, Needed>(needs, { [`meanwhile: ${name}`]: raced }),
    ...casesOf<World, Needed | 'steps'>([...needs, 'steps'], { [`at each step: ${name}`]: stepped }),
  ];
}

/** The changes are spread evenly, from one that is made before the call to one at its end. */
async function race(round: Round, enough: number): Promise<void> {
  const end = performance.now() + longest;
  const takes = { call: 0, change: 0 };
  async function timed<T>(what: 'call' | 'change', act: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const result = await act();
    takes[what] = (takes[what] + performance.now() - since) / 2;
    return result;
  }
  let found = 0;
  for (let nth = 0; nth < rounds && performance.now() < end; nth++) {
    // By multiples of the golden ratio, any number of rounds is spread evenly.
    const offset = ((nth * 0.618_034) % 1) * (takes.call + takes.change) - takes.change;
    const meanwhile: Meanwhile = async (call, change) => {
      if (nth === 0) await change();
      const calling = wait(-offset, nth).then(() => timed('call', call));
      const changing = wait(offset, nth).then(() => nth > 0 && timed('change', change));
      await Promise.allSettled([calling, changing]);
      await changing;
      return answer(calling);
    };
    try {
      await round(meanwhile, nth, 3);
    } catch (error) {
      found += 1;
      if (!(error instanceof ContractViolation) || found >= enough) throw error;
    }
  }
}

/** A call in memory can be over within a turn of the event loop: every other round counts microtasks instead. */
async function wait(milliseconds: number, nth: number): Promise<void> {
  const until = performance.now() + milliseconds;
  if (milliseconds > 1 || nth % 2 === 1) while (performance.now() < until) await turn();
  else for (let tick = 0; milliseconds > 0 && tick < nth / 2; tick++) await undefined;
}

async function stepwise(steps: Steps, round: Round): Promise<void> {
  let last = 0;
  for (let at = 0; at <= last; at++) {
    const meanwhile: Meanwhile = async (call, change) => {
      let changing: Promise<unknown> | undefined;
      const calling = steps(call, async (step) => {
        last = Math.max(last, step);
        // The change may make calls of the adapter itself.
        if (step === at && !changing) {
          changing = change();
          await Promise.race([changing.catch(() => {}), pause(blocked)]);
        }
        return 'go on';
      });
      await Promise.allSettled([calling]);
      await (changing ?? change());
      return answer(calling);
    };
    await round(meanwhile, at, 1);
  }
}

async function answer<T>(calling: Promise<T>): Promise<T> {
  return calling.catch((error) => {
    if (error instanceof ContractViolation) throw error;
    throw new ContractViolation(`the call threw although the store is there: ${error}`);
  });
}

/**
 * Breaks each step of a call in turn. `then` looks at what came of it: its answer, or that it threw `Unavailable`. The
 * last call is not broken.
 */
export async function breaking<T>(
  steps: Steps,
  call: (nth: number) => Promise<T>,
  then: (outcome: { readonly answer: T } | 'unavailable', nth: number) => Promise<void>,
): Promise<void> {
  let last = 0;
  for (let at = 0; at <= last + 1; at++) {
    const calling = steps(
      () => call(at),
      async (step) => {
        last = Math.max(last, step);
        return step === at ? 'break' : 'go on';
      },
    );
    const outcome = await calling.then(
      (answer) => ({ answer }),
      (error) => {
        expectThat(error instanceof Unavailable, `an error of the driver was thrown as it is: ${error}`);
        return 'unavailable' as const;
      },
    );
    await then(outcome, at);
  }
}
