import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after this many milliseconds, or at the signal. */
export async function pauseUntilAborted(signal: AbortSignal, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => {});
}

/** The same, until the signal, even while the next one is awaited. */
export async function* untilAborted<T>(signal: AbortSignal, steps: AsyncGenerator<T>): AsyncGenerator<T> {
  let stop = () => {};
  const abort = () => stop();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      const next = steps.next();
      // One for each step: a promise keeps whatever waits for it.
      const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
      stop = () => resolve(undefined);
      const step = await Promise.race([next, aborted]);
      // What the step ends with is of no interest then.
      if (!step) return void next.catch(() => {});
      if (step.done) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited: a step may be under way.
    steps.return(undefined).catch(() => {});
  }
}
