import type { HistoryPosition, HistoryPruning, HistorySurvey } from '@campaign-mirror/domain';
import { ageArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { confirmed } from '../terminal/prompt.ts';
import type { UndoneBy } from '../words/cut-off.ts';
import type { Operator } from './operator.ts';

export function historyCommands(call: Call, operator: Operator) {
  return group('history', 'prune the history of all mirrors', [prune(call, operator)]);
}

function prune(call: Call, operator: Operator) {
  return leaf({
    name: 'prune',
    does: 'delete old changes from the history permanently, in small steps that block nobody; asks first',
    examples: ['history prune --older-than 400d', 'history prune --older-than 400d --yes --json'],
  })
    .requiredOption(
      '--older-than <time>',
      'minimum age, such as 400d or 48h; at least 1d; required',
      ageArgument,
    )
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, yes, json }) => {
      await operator.acting(
        async ({ pruning }, { undoneBy }) => {
          const survey = await pruning.survey(age);
          const { olderThan, changes, old } = survey;
          if (old > 0 && !yes)
            await confirmed(call, `Delete ${old} of ${changes} changes, those before ${olderThan}?`);
          const pruned = old > 0 ? await pruneInSteps(pruning, survey, call, undoneBy) : 0;
          const sentence = `${pruned} changes from before ${olderThan} are deleted.`;
          await call.output.answer(json, { older_than: olderThan, pruned }, sentence);
        },
        { pace: 'in-steps' },
      );
    });
}

/**
 * The number of changes examined in one transaction, which takes some 30 ms; the audit has an entry for each
 * transaction.
 */
const stepSize = 10_000;

/** Returns the number deleted. @throws Interrupted between two steps; ClearError when the database ended it */
async function pruneInSteps(
  pruning: HistoryPruning,
  { olderThan, changes }: HistorySurvey,
  call: Call,
  undoneBy: UndoneBy,
): Promise<number> {
  const { progress } = await import('../terminal/progress.ts');
  const { cutOff } = await import('../words/cut-off.ts');
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
    throw cutOff(error, `${pruned} changes are deleted`, undoneBy);
  } finally {
    bar.stop();
  }
  return pruned;
}
