import { constants } from 'node:os';

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof names)[number];

/** npm forwards the Ctrl-C of a terminal a second time. A signal within this time, in milliseconds, is a repetition. */
const repetitionTime = 1_000;

const exit = (name: StopSignal): void => process.exit(128 + constants.signals[name]);

/** Ends the process by this signal. `process.exit` would wait until a blocked reader of the log reads again. */
export function endBy(name: StopSignal): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // The kernel ignores a signal that PID 1 sends to itself.
  exit(name);
}

/** `received` resolves with the first stop signal. A later one calls `endNow`. `ignore` removes the handlers. */
export function stopSignals(endNow = exit) {
  const { promise: received, resolve } = Promise.withResolvers<StopSignal>();
  let firstAt = Number.POSITIVE_INFINITY;
  const handle = (name: NodeJS.Signals) => {
    if (performance.now() - firstAt > repetitionTime) endNow(name as StopSignal);
    firstAt = Math.min(firstAt, performance.now());
    resolve(name as StopSignal);
  };
  for (const name of names) process.on(name, handle);
  const ignore = () => names.forEach((name) => void process.off(name, handle));
  return { received, ignore };
}
