import type * as domain from '@campaign-mirror/domain';
import type { PruningSurvey } from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';
import { listNewest } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type OperatorAccess, type OperatorPorts, reading } from './ports.ts';
import { campaignRefused, noSuchKey } from './words.ts';

export function auditCommand(call: Call, operator: OperatorAccess) {
  return leaf('audit', 'show who did what with these commands, newest first', [
    'audit',
    'audit --campaign 42',
    'audit --before 1000 --limit 200 --json',
  ])
    .option('--campaign <id>', 'only acts on this campaign', parse.campaign)
    .option('--limit <n>', 'maximum number to show', parse.limit, 50)
    .option('--before <entry>', 'only entries before this one', parse.audit)
    .action(async ({ campaign, ...range }) => {
      const listing = { columns: auditColumns, none: 'There is no such entry.' };
      await operator.acting(
        ({ audit }) => listNewest(call, range, listing, (page) => audit.list({ ...page, campaign })),
        reading,
      );
    });
}

const auditColumns = [
  ...[
    'id',
    'acted_at',
    'operator',
    'database_role',
    'act',
    'campaign_id',
    'owner_id',
    'access_key_id',
    'details',
  ],
];

/** The number of changes of a campaign that are listed by default. */
const defaultChanges = 20;

export function mirrorHistory(call: Call, operator: OperatorAccess) {
  return leaf(
    'history',
    'show who set the mirror of a campaign, from which address to which, newest first; or what was done with a key; includes deleted campaigns',
    [
      'mirror history 42',
      'mirror history 42 --before 1000 --limit 200 --json',
      'mirror history --key 7 --since 2026-11-20 --json',
    ],
  )
    .argument('[campaign]', 'the campaign; required without --key', parse.campaign)
    .option(
      '--limit <n>',
      `maximum number to show; by default ${defaultChanges} of a campaign, all of a key`,
      parse.limit,
    )
    .option('--before <change>', 'only changes of the campaign before this one', parse.change)
    .addOption(
      new Option(
        '--key <n>',
        'only changes made with this key, in all campaigns; without --since, it reads the whole history',
      )
        .argParser(parse.key)
        .conflicts('before'),
    )
    .option('--since <time>', 'with --key: only changes at or after this time in UTC', parse.moment)
    .action(async (campaign, { key, since, limit, before }) => {
      const none = 'There is no such change.';
      if (key !== undefined && campaign === undefined) {
        return operator.acting(
          async (ports) => {
            await call.output.list(ofKey(ports, key, since, limit), { columns: changeColumns, none });
          },
          { ...reading, pace: 'unhurried' },
        );
      }
      if (campaign === undefined || key !== undefined) {
        throw new ClearError('either a campaign or --key is needed', 'usage');
      }
      if (since !== undefined) throw new ClearError('--since needs --key', 'usage');
      await operator.acting(async ({ campaigns, history }) => {
        // The history has changes of campaigns that no longer exist.
        const [latest] = await history.list({ campaign, limit: 1 });
        if (!latest && !(await campaigns.find(campaign)))
          throw campaignRefused(campaign, { kind: 'campaign-not-found' });
        const others = changeColumns.filter((column) => column !== 'campaign_id');
        const listing = { columns: others, none };
        const range = { before, limit: limit ?? defaultChanges };
        const last = await listNewest(call, range, listing, (page) => history.list({ ...page, campaign }));
        if (await history.isPrunedBefore(campaign, last))
          await call.output.note('Older changes were pruned.');
      }, reading);
    });
}

/** At most `limit` of the changes made with a key. @throws ClearError when there is no such key */
async function* ofKey(
  { history, keys }: OperatorPorts,
  key: domain.AccessKeyId,
  since: domain.Timestamp | undefined,
  limit: number | undefined,
): AsyncGenerator<domain.HistoryEntry> {
  let count = 0;
  try {
    for await (const entry of history.ofKey(key, since)) {
      yield entry;
      count += 1;
      if (count === limit) return;
    }
  } catch (error) {
    throw orStopped(error, 'Stopped: there is more.');
  }
  if (count > 0) return;
  // A mistyped number must not look like a key that changed nothing.
  const [next] = await keys.list({ after: (key - 1) as domain.AccessKeyId, limit: 1 });
  if (next?.id !== key) throw noSuchKey(key);
}

export const changeColumns = [
  ...[
    'id',
    'changed_at',
    'campaign_id',
    'subject',
    'owner_id',
    'address_before',
    'address_after',
    'request_id',
  ],
];

/** The number of changes that one transaction deletes, in some 30 ms. The audit has an entry for each transaction. */
const stepSize = 10_000;

/** In seconds. After a boot, or a failure of NTP, a clock can be years ahead. */
const maxClockDifference = 3_600;

/** @throws ClearError where a wrong clock would delete what is not old */
function refuseWrongClock(
  { time, newestIsOld, olderThan, old }: PruningSurvey,
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
