import type { HistoryId } from '@campaign-mirror/domain';
import * as given from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { confirmed } from '../terminal/prompt.ts';
import { counted } from '../terminal/text.ts';
import type { Operator } from './operator.ts';

/**
 * The number of changes examined in one transaction, which takes some 30 ms; the audit has an entry for each
 * transaction.
 */
const stepSize = 10_000;

export function historyCommands(call: Call, operator: Operator) {
  const prune = leaf(
    'prune',
    'delete old changes from the history permanently, in small steps that block nobody; asks first',
    ['history prune --older-than 400d', 'history prune --older-than 400d --yes --json'],
  )
    .requiredOption(
      '--older-than <time>',
      'minimum age, such as 400d or 48h; at least 1d; required',
      given.age,
    )
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, yes, json }) => {
      const { progress } = await import('../terminal/progress.ts');
      const { cutOff } = await import('../words/cut-off.ts');
      await operator.acting(
        async ({ pruning }, { undoneBy }) => {
          const { olderThan, old } = await pruning.survey(age);
          if (old > 0 && !yes)
            await confirmed(call, `Delete ${counted(old, 'change')}, those before ${olderThan}?`);
          const bar = progress(call, 'Pruning', old);
          let pruned = 0;
          const deleted = () => `${pruned} changes are deleted`;
          try {
            for (let next: HistoryId | undefined, more = old > 0; more; more = next !== undefined) {
              call.interruption.throwIfInterrupted(`Stopped: ${deleted()}. Repeat it to go on.`);
              const step = await pruning.prune(olderThan, stepSize, next);
              pruned += step.pruned;
              bar.at(pruned);
              next = step.next;
            }
          } catch (error) {
            throw cutOff(error, deleted(), undoneBy);
          } finally {
            bar.stop();
          }
          const sentence = `${pruned} changes from before ${olderThan} are deleted.`;
          await call.output.answer(json, { older_than: olderThan, pruned }, sentence);
        },
        { pace: 'in-steps' },
      );
    });
  return group('history', 'prune the history of all mirrors', [prune]);
}
