import { exitCodeOf } from '@campaign-mirror/adapters-cli/terminal/exit-codes';
import { Interrupted, interrupting } from '@campaign-mirror/adapters-cli/terminal/interruption';

/** Whoever asks again later than this, in milliseconds, means at once; npm hands on what the terminal sent before. */
const sameSignal = 1_000;

/** From now on the signals that ask this process to stop do so by the abort of what is returned. */
export function signalOfProcess(): AbortSignal {
  const controller = new AbortController();
  let askedAt: number | undefined;
  for (const name of interrupting) {
    process.on(name, () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        controller.abort(new Interrupted(name));
      } else if (performance.now() - askedAt > sameSignal) process.exit(exitCodeOf(name));
    });
  }
  return controller.signal;
}
