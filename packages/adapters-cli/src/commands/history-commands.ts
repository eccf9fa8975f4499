import type * as domain from '@campaign-mirror/domain';
import * as operators from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';
import { listNewest } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type OperatorAccess, reading } from './ports.ts';
import { asked, campaignRefused, noSuchKey, noSuchMove } from './words.ts';

export function auditCommand(call: Call, operator: OperatorAccess) {
  return leaf('audit', 'show who did what with these commands, newest first', [
    'audit',
    'audit 42',
    'audit --act mirrors-moved --since 2026-11-20',
    'audit --before 1000 --limit 200 --json',
  ])
    .argument('[campaign]', 'only acts on this campaign', parse.campaign)
    .addOption(new Option('--act <act>', 'only acts of this kind').choices(operators.acts))
    .option('--since <time>', 'only entries at or after this time in UTC', parse.moment)
    .option('--limit <n>', 'maximum number to show', parse.limit, 50)
    .option('--before <entry>', 'only entries before this one', parse.audit)
    .action(async (campaign, { act, since, ...range }) => {
      const wanted = { 'on campaign': campaign, 'of the act': act, 'at or after': since };
      const none = `The audit has no entry${asked({ ...wanted, 'before entry': range.before })}.`;
      const listing = { columns: auditColumns, none };
      await operator.acting(
        ({ audit }) =>
          listNewest(call, range, listing, (page) => audit.list({ ...page, campaign, act, since })),
        reading,
      );
    });
}

const auditColumns =
  'id acted_at operator database_role act campaign_id owner_id access_key_id details'.split(' ');

/** The number of changes of a campaign that are listed by default. */
const defaultChanges = 20;

export function mirrorHistory(call: Call, operator: OperatorAccess) {
  return leaf(
    'history',
    'show the changes of a mirror, newest first, or those made with a key or by a move',
    [
      'mirror history 42',
      'mirror history 42 --before 1000 --limit 200 --json',
      'mirror history --key 7 --since 2026-11-20 --json',
      'mirror history --move 1000',
    ],
  )
    .argument('[campaign]', 'the campaign; required without --key and --move', parse.campaign)
    .option('--limit <n>', `maximum number to show; of a campaign, ${defaultChanges} by default`, parse.limit)
    .option('--before <change>', 'only changes of the campaign before this one', parse.change)
    .option('--key <n>', 'only changes made with this key; without --since, reads all', parse.key)
    .option('--move <n>', 'only changes made by this move', parse.audit)
    .option('--since <time>', 'only changes at or after this time in UTC', parse.moment)
    .action(async (campaign, { key, move, since, limit, before }, command) => {
      if ([campaign, key, move].filter(Boolean).length !== 1)
        return command.error('exactly one of a campaign, --key and --move is needed');
      const wanted = { 'of campaign': campaign, 'made with key': key, 'made by move': move };
      const within = { 'at or after': since, 'before change': before };
      const nothing = `The history has no change${asked({ ...wanted, ...within })}.`;
      if (campaign === undefined) {
        if (before !== undefined) return command.error('--before needs a campaign');
        return operator.acting(
          async ({ history, keys, mirrors }) => {
            // A mistyped number must not look like a key that changed nothing.
            const none = async () => {
              if (move && !(await mirrors.findMove(move))) throw noSuchMove(move);
              const after = key && ((key - 1) as domain.AccessKeyId);
              if (key && (await keys.list({ after, limit: 1 }))[0]?.id !== key) throw noSuchKey(key);
              return nothing;
            };
            const changes = move
              ? history.ofMove(move, since, limit)
              : history.ofKey(key as domain.AccessKeyId, since, limit);
            await call.output.list(changes, { columns: changeColumns, none }).catch((error) => {
              throw orStopped(error, 'Stopped: there is more.');
            });
          },
          { ...reading, pace: 'unhurried' },
        );
      }
      await operator.acting(async ({ campaigns, history }) => {
        const none = async () => {
          // The history has changes of campaigns that no longer exist.
          const [latest] = await history.list({ campaign, limit: 1 });
          if (latest || (await history.isPrunedBefore(campaign, undefined))) return nothing;
          const seen = await campaigns.find(campaign);
          if (!seen) throw campaignRefused(campaign, { kind: 'campaign-not-found' });
          return seen.hasMirror
            ? `The mirror of campaign ${campaign} never changed.`
            : `Campaign ${campaign} has no mirror, and its history is empty.`;
        };
        const columns = changeColumns.filter((column) => column !== 'campaign_id');
        const range = { before, limit: limit ?? defaultChanges };
        const read = (page: typeof range) => history.list({ ...page, campaign, since });
        const last = await listNewest(call, range, { columns, none }, read);
        if (await history.isPrunedBefore(campaign, last))
          await call.output.note('Older changes were pruned.');
      }, reading);
    });
}

export const changeColumns =
  'id changed_at campaign_id subject owner_id address_before address_after request_id'.split(' ');

/** The number of changes that one transaction deletes, in some 30 ms. The audit has an entry for each transaction. */
const stepSize = 10_000;

/** In seconds. After a boot, or a failure of NTP, a clock can be years ahead. */
const maxClockDifference = 3_600;

/** @throws ClearError where a wrong clock would delete what is not old */
function refuseWrongClock(
  { time, newestIsOld, olderThan, old }: operators.PruningSurvey,
  all: boolean | undefined,
): void {
  const apart = Math.abs(time - Date.now() / 1_000);
  if (apart > maxClockDifference)
    throw new ClearError(
      `the clocks of this machine and of the database are ${(apart / 3_600).toFixed(1)} hours apart: nothing was deleted; ` +
        'set both by NTP, then repeat it',
    );
  if (newestIsOld && !all)
    throw new ClearError(
      `the newest change of all is from before ${olderThan}, too, and ${counted(old, 'change')} would be deleted: nothing ` +
        'was deleted; check the clock of the database, and add --all if it is right',
    );
}

export function historyCommands(call: Call, operator: OperatorAccess) {
  const prune = leaf('prune', 'delete old changes from the history, in steps that block nobody; asks first', [
    'history prune --older-than 400d',
    'history prune --older-than 400d --yes --json',
  ])
    .requiredOption(
      '--older-than <time>',
      'minimum age, such as 400d or 48h; at least 1d; required',
      parse.age,
    )
    .option('--all', 'also where the newest change of all is that old')
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, all, yes }) => {
      let pruned = 0;
      const deleted = () => `${pruned} changes are deleted`;
      await operator.acting(
        async ({ pruning }) => {
          const survey = await pruning.survey(age);
          const { olderThan, old, upTo } = survey;
          if (old > 0) refuseWrongClock(survey, all);
          if (old > 0 && !yes)
            await confirmed(call, `Delete ${counted(old, 'change')}, those before ${olderThan}?`);
          const bar = await call.progress('Pruning', old);
          try {
            for (let step = stepSize; upTo && step === stepSize; ) {
              call.throwIfStopped(`Stopped: ${deleted()}. Repeat it to go on.`);
              step = await pruning.prune(olderThan, upTo, stepSize);
              pruned += step;
              bar.update(pruned);
            }
          } finally {
            bar.stop();
          }
          const sentence = `${pruned} changes from before ${olderThan} are deleted.`;
          await call.output.answer({ older_than: olderThan, pruned }, sentence);
        },
        { pace: 'in-steps', state: () => `${deleted()} for certain` },
      );
    });
  return group('history', 'prune the history of all mirrors', [prune]);
}
