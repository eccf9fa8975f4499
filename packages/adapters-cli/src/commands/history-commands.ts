import type { AuditEntry, HistoryId } from '@campaign-mirror/domain';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { counted } from '../terminal/errors.ts';
import type { Column } from '../terminal/output.ts';
import { listNewest } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type OperatorAccess, reading } from './operator.ts';
import { cutOff } from './words.ts';

const defaultLimit = 50;

export function auditCommand(call: Call, operator: OperatorAccess) {
  return leaf('audit', 'show who did what with these commands, newest first', [
    'audit',
    'audit --campaign 42',
    'audit --before 1000 --limit 200 --json',
  ])
    .option('--campaign <id>', 'only acts on this campaign', parse.campaign)
    .option('--limit <n>', 'maximum number to show', parse.limit, defaultLimit)
    .option('--before <entry>', 'only entries before this one', parse.audit)
    .action(async ({ campaign, json, ...range }) => {
      const listing = { json, columns, none: 'There is no such entry.' };
      await operator.acting(
        ({ audit }) => listNewest(call, range, listing, (page) => audit.list({ ...page, campaign })),
        reading,
      );
    });
}

const columns: readonly Column<AuditEntry>[] = [
  { head: 'entry', right: true, cell: ({ id }) => id },
  { head: 'when', cell: ({ actedAt }) => actedAt },
  { head: 'operator', cell: ({ operator }) => operator },
  { head: 'database role', cell: ({ databaseRole }) => databaseRole },
  { head: 'act', cell: ({ act }) => act },
  { head: 'campaign', right: true, cell: ({ campaignId }) => campaignId },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'key', right: true, cell: ({ accessKeyId }) => accessKeyId },
  { head: 'details', cell: ({ details }) => detailsText(details) },
];

/** Such as `owner id before: 42, name: "Summer"`; missing values are left out. */
function detailsText(details: AuditEntry['details']): string | null {
  const present = Object.entries(details).filter(([, value]) => value !== null);
  if (present.length === 0) return null;
  return present.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${JSON.stringify(value)}`).join(', ');
}

/** The number of changes that one transaction examines, in some 30 ms. The audit has an entry for each transaction. */
const stepSize = 10_000;

export function historyCommands(call: Call, operator: OperatorAccess) {
  const prune = leaf(
    'prune',
    'delete old changes from the history permanently, in small steps that block nobody; asks first',
    ['history prune --older-than 400d', 'history prune --older-than 400d --yes --json'],
  )
    .requiredOption(
      '--older-than <time>',
      'minimum age, such as 400d or 48h; at least 1d; required',
      parse.age,
    )
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, yes, json }) => {
      const { progress } = await import('../terminal/input-file.ts');
      await operator.acting(
        async ({ pruning }, { undoneBy }) => {
          const { olderThan, old } = await pruning.survey(age);
          if (old > 0 && !yes)
            await confirmed(call, `Delete ${counted(old, 'change')}, those before ${olderThan}?`);
          const bar = progress(call, 'Pruning', old);
          let pruned = 0;
          const deleted = () => `${pruned} changes are deleted`;
          try {
            let next: HistoryId | null = null;
            do {
              call.interruption.throwIfInterrupted(`Stopped: ${deleted()}. Repeat it to go on.`);
              const step = await pruning.prune(olderThan, stepSize, next);
              pruned += step.pruned;
              bar.at(pruned);
              next = step.next;
            } while (next);
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
