import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What has to be ended or removed at the end of a run, however it ends: the last thing first. */
export type Cleanup = (() => unknown)[];

export async function cleanUp(cleanup: Cleanup): Promise<void> {
  for (let step = cleanup.pop(); step; step = cleanup.pop()) await step();
}

/** A new folder that is removed at the end. */
export async function temporaryFolder(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/**
 * Runs it to its end or to the first Ctrl-C, takes everything back, says what it found wrong, and ends the process: with
 * 0 where that is nothing.
 */
export async function run(act: (cleanup: Cleanup) => Promise<readonly string[]>): Promise<never> {
  const cleanup: Cleanup = [];
  const { promise: interrupted, resolve } = Promise.withResolvers<number>();
  // npm hands a Ctrl-C on a second time.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  const running = act(cleanup)
    .catch((error: unknown) => [error])
    .then((faults) => {
      for (const fault of faults) console.error('wrong:', fault);
      return faults.length === 0 ? 0 : 1;
    });
  const code = await Promise.race([running, interrupted]);
  await cleanUp(cleanup);
  process.exit(code);
}
