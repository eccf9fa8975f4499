import * as fc from 'fast-check';
import { conversation } from './requests/conversation.ts';
import { openTrial } from './trial.ts';

/** So many conversations at once, at most. */
const atOnce = 60;
/** So many times, before the next seed. */
const batches = 40;

export interface HostileRun {
  /** How many were made. */
  requests: number;
  connections: number;
  /** How many answers had each status. */
  readonly statuses: Map<number, number>;
}

/**
 * Makes hostile requests to a real service and checks what it answers and stores.
 * @throws with the shortest conversation that breaks a promise, and the seed that makes it again
 */
export async function hostileRun(
  requests: number,
  seed: number,
  told: (run: HostileRun) => void = () => {},
): Promise<HostileRun> {
  const trial = await openTrial();
  const run: HostileRun = { requests: 0, connections: 0, statuses: new Map() };
  const all = fc.array(conversation, { maxLength: atOnce, size: 'max' });
  const property = fc.asyncProperty(all, async (conversations) => {
    const results = await trial.batch(conversations);
    run.connections += conversations.length;
    for (const { messages } of conversations) run.requests += messages.length;
    for (const { status } of results.flatMap(({ answers }) => answers))
      run.statuses.set(status, (run.statuses.get(status) ?? 0) + 1);
  });
  try {
    for (let round = 0; run.requests < requests; round++) {
      const here = (seed + round) % 2 ** 31;
      const { failed, errorInstance, numShrinks } = await fc.check(property, {
        seed: here,
        numRuns: batches,
      });
      const why = (errorInstance as Error | undefined)?.message;
      if (failed) throw new Error(`${why}\nSEED=${here}; made shorter ${numShrinks} times`);
      told(run);
    }
    await trial.end();
    return run;
  } finally {
    await trial.close();
  }
}
