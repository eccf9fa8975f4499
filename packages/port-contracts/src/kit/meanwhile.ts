import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { ContractViolation, expectThat } from './case.ts';

/**
 * Makes the call, and awaits `before` ahead of each step, numbered from 0. Steps are statements, also `begin` and
 * `commit`. `break`: the store fails before the step. `lose`: the step is done, but its answer is lost. Both undo
 * uncommitted changes.
 */
export type Steps = <T>(
  call: () => Promise<T>,
  before: (step: number) => Promise<'go on' | 'break' | 'lose'>,
) => Promise<T>;

/** Makes a call of the adapter, and a change by others during it. Resolves with the answer of the call. */
type During = <T>(call: () => Promise<T>, change: () => Promise<unknown>) => Promise<T>;
/** Tries one moment. `calls`: the number of calls to make at once. @throws ContractViolation */
type Round = (during: During, calls: number) => Promise<void>;

/** The maximum number of rounds of a race, and its maximum time in milliseconds. Tests often have 5 s. */
const [maxRounds, maxTime] = [40, 2_000];
/** How long a step waits for a change, in milliseconds. The change may wait for a lock of the call. */
const changeTimeout = 50;
const noStep = 'the world: no step of a call was awaited';

/** Lets others change the store at moments spread over a call and, if there are steps, ahead of each step. */
export async function meanwhile({ steps }: { steps?: Steps | undefined }, round: Round): Promise<void> {
  const end = performance.now() + maxTime;
  /** The last durations, in milliseconds. */
  const took = { call: 0, change: 0 };
  const timed = async <T>(what: keyof typeof took, wait: number, act: () => Promise<T>): Promise<T> => {
    const since = performance.now() + wait;
    while (performance.now() < since) await turn();
    const result = await act();
    took[what] = performance.now() - since;
    return result;
  };
  for (let nth = 0; nth < maxRounds && performance.now() < end; nth++) {
    // Multiples of the golden ratio spread any number of rounds evenly, from before the call to its end.
    const offset = ((nth * 0.618_034) % 1) * (took.call + took.change) - took.change;
    const during: During = (call, change) => {
      const changing = timed('change', offset, change);
      return answerOf(nth === 0 ? changing.then(call) : timed('call', -offset, call), changing);
    };
    await round(during, 3);
  }
  if (steps) await aheadOfEachStep(steps, round);
}

/** Lets others change the store ahead of each step of a call, in turn. */
export async function aheadOfEachStep(steps: Steps, round: Round): Promise<void> {
  let last = -1;
  for (let at = 0; at <= Math.max(last, 0); at++) {
    const during: During = (call, change) => {
      let changing: Promise<unknown> | undefined;
      const calling = steps(call, async (step) => {
        last = Math.max(last, step);
        // Only once: the change may itself call the adapter, whose calls have the same steps.
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
  if (last < 0) throw new TypeError(noStep);
}

/** Waits for the call and the change. Returns the answer of the call, which must not fail. */
async function answerOf<T>(calling: Promise<T>, changing: Promise<unknown>): Promise<T> {
  const [called] = await Promise.allSettled([calling, changing]);
  await changing;
  if (called.status === 'fulfilled') return called.value;
  if (called.reason instanceof ContractViolation) throw called.reason;
  throw new ContractViolation(`the call threw although the store is available: ${called.reason}`);
}

/** Enough breaks to empty a pool that does not replace lost connections. */
const breaks = 40;

/** Breaks a call at each step in turn, and at none; then loses the answer of each step. `then` checks the outcome. */
export async function breaking<T>(
  steps: Steps,
  call: () => Promise<T>,
  then: (outcome: { readonly answer: T } | 'unavailable') => Promise<void>,
): Promise<void> {
  let last = -1;
  for (let nth = 0; nth < breaks; nth++) {
    const [turns, at] = [Math.floor(nth / (last + 2)), nth % (last + 2)];
    const before = async (step: number) => {
      last = Math.max(last, step);
      if (step !== at) return 'go on';
      return turns % 2 === 0 ? 'break' : 'lose';
    };
    const outcome = await steps(call, before).then(
      (answer) => ({ answer }),
      (error) => {
        expectThat(error instanceof Unavailable, `an error of the driver was thrown unchanged: ${error}`);
        return 'unavailable' as const;
      },
    );
    const isBack = at <= last || outcome !== 'unavailable';
    expectThat(isBack, 'the adapter stays unavailable although the store is back');
    await then(outcome);
  }
  if (last < 0) throw new TypeError(noStep);
}
