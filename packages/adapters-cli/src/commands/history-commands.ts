import { ageArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { confirmed } from '../terminal/prompt.ts';
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
      const { pruneInSteps } = await import('./prune-in-steps.ts');
      await operator.acting(
        async ({ pruning }, { undoneBy }) => {
          const survey = await pruning.survey(age);
          const { olderThan, changes, old } = survey;
          if (old > 0)
            await confirmed(call, `Delete ${old} of ${changes} changes, those before ${olderThan}?`, yes);
          const pruned = old > 0 ? await pruneInSteps(pruning, survey, call, undoneBy) : 0;
          const sentence = `${pruned} changes from before ${olderThan} are deleted.`;
          await call.output.answer(json, { older_than: olderThan, pruned }, sentence);
        },
        { pace: 'in-steps' },
      );
    });
}
