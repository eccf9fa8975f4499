import {
  type HistoryPosition,
  type HistoryPruning,
  type HistorySurvey,
  Unavailable,
} from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { progress } from '../terminal/progress.ts';
import { cutOff, type UndoneBy } from '../words/cut-off.ts';

/**
 * The number of changes examined in one transaction, which takes some 30 ms; the audit has an entry for each
 * transaction.
 */
const stepSize = 10_000;

/** Returns the number deleted. @throws Interrupted between two steps; ClearError when the database ended it */
export async function pruneInSteps(
  pruning: HistoryPruning,
  { olderThan, changes }: HistorySurvey,
  call: Call,
  undoneBy: UndoneBy,
): Promise<number> {
  const bar = progress(call, 'Pruning', changes);
  let pruned = 0;
  let looked = 0;
  let next: HistoryPosition | undefined;
  try {
    do {
      call.interruption.throwIfInterrupted(`Stopped: ${pruned} changes are deleted. Repeat it to go on.`);
      const step = await pruning.prune(olderThan, stepSize, next);
      pruned += step.pruned;
      looked += step.lookedAt;
      bar.at(looked);
      next = step.next;
    } while (next);
  } catch (error) {
    throw error instanceof Unavailable ? cutOff(error, `${pruned} changes are deleted`, undoneBy) : error;
  } finally {
    bar.stop();
  }
  return pruned;
}
