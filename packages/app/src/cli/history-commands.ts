import type { HistoryPosition, HistoryPruning, HistorySurvey } from '@campaign-mirror/domain';
import { acting } from './acting.ts';
import { ageArgument } from './arguments.ts';
import type { Interruption } from './interruption.ts';
import { group, leaf } from './leaf.ts';
import { answer } from './output.ts';
import { progress } from './progress.ts';
import { confirmed } from './prompt.ts';

/** So many changes are looked at in one transaction: a few milliseconds' work. */
const stepSize = 1_000;

export function historyCommands() {
  return group('history', 'the history of all mirrors', [prune()]);
}

function prune() {
  return leaf({
    name: 'prune',
    does: 'delete old changes from the history, for ever, in small steps that hold up nobody; asks first',
    examples: ['history prune --older-than 400d', 'history prune --older-than 400d --yes --json'],
  })
    .requiredOption('--older-than <time>', 'how old: 400d or 48h, at least 1d', ageArgument)
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, yes, json }) => {
      const { PostgresHistoryPruning, Statements } = await import('@campaign-mirror/adapters-persistence');
      const { unhurried } = await import('../operator.ts');
      await acting(async ({ database, act, interruption }) => {
        const pruning = new PostgresHistoryPruning(new Statements(database.pool, { named: false }), act);
        const survey = await pruning.survey(age);
        const { olderThan, changes, old } = survey;
        if (old > 0) await confirmed(`Delete ${old} of ${changes} changes, those before ${olderThan}?`, yes);
        const pruned = old > 0 ? await inSteps(pruning, survey, interruption) : 0;
        const sentence = `${pruned} changes from before ${olderThan} are deleted.`;
        await answer(json, { older_than: olderThan, pruned }, sentence);
      }, unhurried);
    });
}

/** Tells how many were deleted. @throws Interrupted between two steps */
async function inSteps(
  pruning: HistoryPruning,
  { olderThan, changes }: HistorySurvey,
  interruption: Interruption,
): Promise<number> {
  const bar = progress('Pruning', changes);
  let pruned = 0;
  let looked = 0;
  let next: HistoryPosition | undefined;
  try {
    do {
      interruption.throwIfInterrupted(`Stopped: ${pruned} changes are deleted. Repeat it to go on.`);
      const step = await pruning.prune(olderThan, stepSize, next);
      pruned += step.pruned;
      looked += step.lookedAt;
      bar.at(looked);
      next = step.next;
    } while (next);
  } finally {
    bar.stop();
  }
  return pruned;
}
