import { setTimeout as pause } from 'node:timers/promises';
import { Cleanup } from './cleanup.ts';

/**
 * Runs it to its end or to the first Ctrl-C, takes everything back, says what it found wrong, and ends the process:
 * with 0 where that is nothing.
 */
export async function run(act: (cleanup: Cleanup) => Promise<readonly string[]>): Promise<never> {
  const cleanup = new Cleanup();
  const running = act(cleanup).then(
    (faults) => {
      for (const fault of faults) console.error(`wrong: ${fault}`);
      return faults.length === 0 ? 0 : 1;
    },
    (error) => {
      if (!cleanup.begun) console.error(error);
      return 1;
    },
  );
  const code = await Promise.race([running, interrupted()]);
  await cleanup.run();
  // After Ctrl-C what was just being made is taken back too.
  await Promise.race([running, pause(30_000, undefined, { ref: false })]);
  await cleanup.run();
  process.exit(code);
}

/** Resolves on the first Ctrl-C. npm hands it on a second time, and the cleaning takes a moment: more say nothing new. */
function interrupted(): Promise<number> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  });
}
