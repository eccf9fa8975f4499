import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { ContractViolation, expectThat } from './case.ts';

/**
 * Makes the call, and awaits `before` ahead of each of its steps, which are numbered from 0: as a rule, its statements,
 * including those that begin and commit a transaction. `break`: the store goes away ahead of the step, which is not done.
 * `lose`: the step is done, and its answer is lost. Both times, what was not committed is lost.
 */
export type Steps = <T>(
  call: () => Promise<T>,
  before: (step: number) => Promise<'go on' | 'break' | 'lose'>,
) => Promise<T>;

/** Makes a call of the adapter, and a change by others at some moment of it. Resolves with the answer of the call. */
type During = <T>(call: () => Promise<T>, change: () => Promise<unknown>) => Promise<T>;
/** One try with one moment. Throws a `ContractViolation` when it shows a fault. `calls`: how many to make at once. */
type Round = (during: During, calls: number) => Promise<void>;

/** The maximum number of rounds of a race, and their maximum time in milliseconds: a test often has 5 s. */
const [maxRounds, maxTime] = [40, 2_000];
/** How long a step waits for a change, in milliseconds: the change may itself wait for what the call has locked. */
const changeTimeout = 50;

/** Lets others change the store at any moment of a call and, if there are steps, ahead of each of them. */
export async function meanwhile({ steps }: { steps?: Steps | undefined }, round: Round): Promise<void> {
  await race(round);
  if (steps) await aheadOfEachStep(steps, round);
}

/** The moments of the changes are spread evenly, from before the call to its end. */
async function race(round: Round): Promise<void> {
  const end = performance.now() + maxTime;
  /** The last durations, in milliseconds. */
  const took = { call: 0, change: 0 };
  const timed = async <T>(what: 'call' | 'change', wait: number, act: () => Promise<T>): Promise<T> => {
    const since = performance.now() + wait;
    while (performance.now() < since) await turn();
    const result = await act();
    took[what] = performance.now() - since;
    return result;
  };
  for (let nth = 0; nth < maxRounds && performance.now() < end; nth++) {
    // By multiples of the golden ratio, any number of rounds is spread evenly.
    const offset = ((nth * 0.618_034) % 1) * (took.call + took.change) - took.change;
    const during: During = (call, change) => {
      const changing = timed('change', offset, change);
      return answerOf(nth === 0 ? changing.then(call) : timed('call', -offset, call), changing);
    };
    await round(during, 3);
  }
}

/** Lets others change the store ahead of each step of a call, in turn. */
export async function aheadOfEachStep(steps: Steps, round: Round): Promise<void> {
  let last = -1;
  for (let at = 0; at <= Math.max(last, 0); at++) {
    const during: During = (call, change) => {
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
      return answerOf(
        calling,
        calling.catch(() => {}).then(() => changing ?? change()),
      );
    };
    await round(during, 1);
  }
  expectSteps(last);
}

/** Without steps, nothing was tried. */
function expectSteps(last: number): void {
  if (last < 0) throw new TypeError('the world: no step of a call was awaited');
}

/** The answer of a call that must not fail, after both have ended. */
async function answerOf<T>(calling: Promise<T>, changing: Promise<unknown>): Promise<T> {
  const [called] = await Promise.allSettled([calling, changing]);
  await changing;
  if (called.status === 'fulfilled') return called.value;
  if (called.reason instanceof ContractViolation) throw called.reason;
  throw new ContractViolation(`the call threw although the store is available: ${called.reason}`);
}

/** How often a call is broken: a pool that gets no lost connection back has fewer. */
const breaks = 40;

/**
 * Breaks a call at each step in turn, and at none; then loses the answer of each step, and so on. `then` checks the
 * outcome: the answer, or that it threw `Unavailable`.
 */
export async function breaking<T>(
  steps: Steps,
  call: (nth: number) => Promise<T>,
  then: (outcome: { readonly answer: T } | 'unavailable', nth: number) => Promise<void>,
): Promise<void> {
  let last = -1;
  for (let nth = 0; nth < breaks; nth++) {
    const [turns, at] = [Math.floor(nth / (last + 2)), nth % (last + 2)];
    const before = async (step: number) => {
      last = Math.max(last, step);
      if (step !== at) return 'go on';
      return turns % 2 === 0 ? 'break' : 'lose';
    };
    const outcome = await steps(() => call(nth), before).then(
      (answer) => ({ answer }),
      (error) => {
        expectThat(error instanceof Unavailable, `an error of the driver was thrown as it is: ${error}`);
        return 'unavailable' as const;
      },
    );
    const isBack = at <= last || outcome !== 'unavailable';
    expectThat(isBack, 'the adapter stays unavailable although the store is back');
    await then(outcome, nth);
  }
  expectSteps(last);
}
