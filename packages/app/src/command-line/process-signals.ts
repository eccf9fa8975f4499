import { exitCodeOf, Interrupted, interrupting } from '@campaign-mirror/adapters-cli/terminal';

/**
 * A repeated signal after this time, in milliseconds, means at once; npm forwards the signal that the terminal has sent
 * before.
 */
const sameSignal = 1_000;

/** From now on, signals that ask this process to stop abort the returned signal. */
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
