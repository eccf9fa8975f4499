import { constants } from 'node:os';

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** A signal so soon after the first one counts as the same, in milliseconds. */
const repetitionTime = 1_000;

type StopSignal = (typeof names)[number];
const exit = (name: StopSignal): void => process.exit(128 + constants.signals[name]);

/** Ends the process by this signal: `process.exit` would wait for a stuck reader of the log. */
export function endBy(name: StopSignal): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // The kernel ignores a signal that PID 1 sends to itself.
  exit(name);
}

/**
 * `asked` resolves with the first signal that asks the process to stop, until `forget` is called. npm forwards a Ctrl-C
 * that the terminal has already sent to the whole process group: a signal repeated within a second is therefore ignored.
 * A later one means `atOnce` (contract: life).
 */
export function stopSignals(atOnce = exit) {
  const { promise: asked, resolve } = Promise.withResolvers<StopSignal>();
  let askedAt: number | undefined;
  const heard = (name: NodeJS.Signals) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      resolve(name as StopSignal);
    } else if (performance.now() - askedAt > repetitionTime) atOnce(name as StopSignal);
  };
  for (const name of names) process.on(name, heard);
  const forget = () => {
    for (const name of names) process.off(name, heard);
  };
  return { asked, forget };
}
