import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { type Case, ContractViolation, casesOf, expectThat, type With } from './case.ts';

/**
 * Makes the call, and awaits `before` ahead of each of its steps. The steps are numbered from 0. As a rule they are the
 * statements of the call, including those that begin and commit a transaction. If `before` resolves to `break`, the step
 * fails as if the store went away: it is not done, and what was not committed is lost.
 */
export type Steps = <T>(
  call: () => Promise<T>,
  before: (step: number) => Promise<'go on' | 'break'>,
) => Promise<T>;

/** Makes a call of the adapter, and a change by others at some moment of the call. Returns the answer of the call. */
type Meanwhile = <T>(call: () => Promise<T>, change: () => Promise<unknown>) => Promise<T>;
/** One try with one moment. `calls` is the number of calls to make at once, since some faults need calls that wait for others. */
type Round = (meanwhile: Meanwhile, nth: number, calls: number) => Promise<void>;

/** The maximum number of rounds of a race, and their maximum time in milliseconds: a test often has 5 s. */
const maxRounds = 40;
const maxTime = 3_000;
/** How long a step waits for a change, in milliseconds: the change may itself wait for what the call has locked. */
const changeTimeout = 50;

/**
 * Two cases: one makes the change at any moment of the call, the other, if the world has steps, ahead of each step.
 * `prepare` returns the round, which throws a `ContractViolation` when it shows a fault. If chance can look like a fault, a
 * race fails only when `enough` of its rounds show it.
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

/** The moments of the changes are spread evenly, from before the call to its end. */
async function race(round: Round, enough: number): Promise<void> {
  const end = performance.now() + maxTime;
  /** The usual durations, in milliseconds. */
  const durations = { call: 0, change: 0 };
  async function timed<T>(what: 'call' | 'change', act: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const result = await act();
    durations[what] = (durations[what] + performance.now() - since) / 2;
    return result;
  }
  let faults = 0;
  for (let nth = 0; nth < maxRounds && performance.now() < end; nth++) {
    // By multiples of the golden ratio, any number of rounds is spread evenly.
    const offset = ((nth * 0.618_034) % 1) * (durations.call + durations.change) - durations.change;
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
      faults += 1;
      if (!(error instanceof ContractViolation) || faults >= enough) throw error;
    }
  }
}

/** A call in memory can end within a turn of the event loop: every second round counts microtasks instead. */
async function wait(milliseconds: number, nth: number): Promise<void> {
  if (milliseconds > 1 || nth % 2 === 1) {
    const until = performance.now() + milliseconds;
    // A timer may be a millisecond late.
    if (milliseconds > 2) await pause(milliseconds - 2);
    while (performance.now() < until) await turn();
  } else if (milliseconds > 0) {
    for (let tick = 0; tick < nth / 2; tick++) await undefined;
  }
}

/** Makes the change ahead of each step in turn. */
async function stepwise(steps: Steps, round: Round): Promise<void> {
  let last = -1;
  for (let at = 0; at <= Math.max(last, 0); at++) {
    const meanwhile: Meanwhile = async (call, change) => {
      let changing: Promise<unknown> | undefined;
      const calling = steps(call, async (step) => {
        last = Math.max(last, step);
        // Only once: the change can itself make calls of the adapter, which have the same step.
        if (step === at && !changing) {
          changing = change();
          await Promise.race([changing.catch(() => {}), pause(changeTimeout)]);
        }
        return 'go on';
      });
      await Promise.allSettled([calling]);
      await (changing ?? change());
      return answer(calling);
    };
    await round(meanwhile, at, 1);
  }
  refuseNone(last);
}

/** Without steps, nothing was tried. */
function refuseNone(last: number): void {
  if (last < 0) throw new TypeError('the world: no step of a call was awaited');
}

/** The answer of a call that must not fail. */
async function answer<T>(calling: Promise<T>): Promise<T> {
  return calling.catch((error) => {
    if (error instanceof ContractViolation) throw error;
    throw new ContractViolation(`the call threw although the store is available: ${error}`);
  });
}

/** How often, and for how many milliseconds, a step is broken again: a pool that gets no lost connection back has fewer. */
const [moreBreaks, moreTime] = [20, 1_000];

/**
 * Breaks each step of a call in turn, then the second one time and again. `then` checks the outcome: the answer, or that
 * it threw `Unavailable`. In the last call no step is broken.
 */
export async function breaking<T>(
  steps: Steps,
  call: (nth: number) => Promise<T>,
  then: (outcome: { readonly answer: T } | 'unavailable', nth: number) => Promise<void>,
): Promise<void> {
  let last = -1;
  let nth = 0;
  const breakAt = async (at: number) => {
    const calling = steps(
      () => call(nth),
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
    const isBack = at <= last || outcome !== 'unavailable';
    expectThat(isBack, 'the adapter stays unavailable although the store is back');
    await then(outcome, nth);
    nth += 1;
  };
  for (let at = 0; at <= last + 1; at++) await breakAt(at);
  refuseNone(last);
  const end = performance.now() + moreTime;
  for (let more = 0; more < moreBreaks && performance.now() < end; more++) await breakAt(Math.min(1, last));
  await breakAt(last + 1);
}
