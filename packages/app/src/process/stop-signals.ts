import { constants } from 'node:os';

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof names)[number];

/** A signal so soon after the first one counts as the same, in milliseconds: npm forwards a Ctrl-C that all have got. */
const repetitionTime = 1_000;

const exit = (name: StopSignal): void => process.exit(128 + constants.signals[name]);

/** Ends the process by this signal: `process.exit` would wait for a stuck reader of the log. */
export function endBy(name: StopSignal): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // The kernel ignores a signal that PID 1 sends to itself.
  exit(name);
}

/** `asked` resolves with the first signal to stop, until `forget` is called. A later one means `atOnce` (contract: life). */
export function stopSignals(atOnce = exit) {
  const { promise: asked, resolve } = Promise.withResolvers<StopSignal>();
  let askedAt = Number.POSITIVE_INFINITY;
  const heard = (name: NodeJS.Signals) => {
    if (performance.now() - askedAt > repetitionTime) atOnce(name as StopSignal);
    askedAt = Math.min(askedAt, performance.now());
    resolve(name as StopSignal);
  };
  for (const name of names) process.on(name, heard);
  const forget = () => {
    for (const name of names) process.off(name, heard);
  };
  return { asked, forget };
}
