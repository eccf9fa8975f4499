import type * as domain from '@campaign-mirror/domain';
import { auditActs, type ChangeFeed, type PruningSurvey } from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';
import { listNewest } from '../terminal/lists.ts';
import { campaignRefused, noSuchKey, noSuchMove } from './messages.ts';
import { type AccessOptions, type OperatorAccess, reading } from './operator-access.ts';

export function auditCommand(call: Call, operator: OperatorAccess) {
  const examples = ['audit 42', 'audit --act mirrors-moved --since 2026-11-20'];
  return leaf('audit', 'show who did what with these commands, newest first', examples)
    .argument('[campaign]', 'only acts on this campaign', parse.campaign)
    .addOption(new Option('--act <act>', 'only acts of this kind').choices(auditActs))
    .option('--since <time>', 'only entries at or after this time in UTC', parse.moment)
    .option('--limit <n>', 'maximum number to show', parse.limit, 50)
    .option('--before <entry>', 'only entries before this one', parse.audit)
    .action(async (campaign, { act, since, ...range }) => {
      const listing = { columns: auditColumns, none: 'No entry was found.' };
      await operator.withPorts(
        ({ audit }) =>
          listNewest(call, range, listing, (part) => audit.list({ ...part, campaign, act, since })),
        reading,
      );
    });
}

const auditColumns =
  'id acted_at operator database_role act campaign_id owner_id access_key_id details'.split(' ');
const changeColumns =
  'id changed_at campaign_id subject owner_id address_before address_after request_id'.split(' ');

const defaultChanges = 20;

export function mirrorHistory(call: Call, operator: OperatorAccess) {
  const description = 'show the changes of a mirror, newest first, or those made with a key or by a move';
  return leaf('history', description, ['mirror history 42 --limit 200', 'mirror history --key 7 --json'])
    .argument('[campaign]', 'the campaign; required without --key and --move', parse.campaign)
    .option('--limit <n>', `maximum number to show; of a campaign, ${defaultChanges} by default`, parse.limit)
    .option('--before <change>', 'only changes of the campaign before this one', parse.change)
    .option('--key <n>', 'only changes made with this key; without --since, reads all', parse.key)
    .option('--move <n>', 'only changes made by this move', parse.audit)
    .option('--since <time>', 'only changes at or after this time in UTC', parse.moment)
    .action(async (campaign, { key, move, since, limit, before }, command) => {
      if ([campaign, key, move].filter(Boolean).length !== 1)
        return command.error('exactly one of a campaign, --key and --move is needed');
      if (before !== undefined && !campaign) return command.error('--before needs a campaign');
      const access: AccessOptions = campaign ? reading : { ...reading, pace: 'unhurried' };
      await operator.withPorts(async ({ campaigns, history, keys, mirrors }) => {
        // A mistyped number must not look like a campaign, a key or a move without changes.
        const none = async () => {
          if (move && !(await mirrors.findMove(move))) throw noSuchMove(move);
          const after = key && ((key - 1) as domain.AccessKeyId);
          if (key && (await keys.list({ after, limit: 1 }))[0]?.id !== key) throw noSuchKey(key);
          // A deleted campaign has a history.
          const [latest] = campaign ? await history.list({ campaign, limit: 1 }) : [];
          const isKnown = !campaign || latest || (await history.isPrunedBefore(campaign, undefined));
          if (!isKnown && !(await campaigns.find(campaign)))
            throw campaignRefused(campaign, 'campaign-not-found');
          return 'No change was found.';
        };
        if (campaign === undefined) {
          const changes = move
            ? history.ofMove(move, since, limit)
            : history.ofKey(key as domain.AccessKeyId, since, limit);
          await call.output.list(changes, { columns: changeColumns, none }).catch((error) => {
            throw orStopped(error, 'Stopped: there is more.');
          });
          return;
        }
        const columns = changeColumns.filter((column) => column !== 'campaign_id');
        const range = { before, limit: limit ?? defaultChanges };
        const read = (part: typeof range) => history.list({ ...part, campaign, since });
        const last = await listNewest(call, range, { columns, none }, read);
        if (await history.isPrunedBefore(campaign, last))
          await call.output.notice('Older changes were pruned.');
      }, access);
    });
}

export function follow(call: Call, operator: OperatorAccess) {
  return leaf('follow', 'print changes as they are committed, each with its position, until Ctrl-C', [
    'mirror follow --owner 42 --json | kcat -P -b broker.example -t mirrors',
    'mirror follow --from "$position" --json',
  ])
    .argument('[campaign]', 'only changes of this campaign, which may not exist yet', parse.campaign)
    .option('--from <position>', 'continue after the line with this position; by default, start now')
    .option('--owner <n>', 'only changes of campaigns that had this owner at that moment', parse.owner)
    .addHelpText('after', followHelp)
    .action(async (campaign, changes) => {
      const { signal, output } = call;
      const isOver = () => signal.aborted || output.isReaderGone;
      const followed = async function* (feed: ChangeFeed) {
        for await (const step of feed.follow({ ...changes, campaign })) {
          if ('id' in step) yield step;
          else await output.notice('Following. Ctrl-C ends it.');
          if (!('id' in step || changes.from) && output.json) await output.object(step);
          if (isOver()) return;
        }
        throw new ClearError(invalidPosition, 'position');
      };
      const listing = { columns: [...changeColumns, 'position'], none: '' };
      const state = 'with --from and the last position no change is lost';
      const options: AccessOptions = { pace: 'in-steps', besideService: true, state };
      await operator
        .withPorts(({ feed }) => output.list(followed(feed), listing, 1), options)
        .catch((error) => {
          if (!isOver()) throw error;
        });
    });
}

const startAnew = 'start without --from, and read your data again';
const otherServer = 'not from this server, or from before its last start or reset of statistics';
const invalidPosition = `the position is ${otherServer}: ${startAnew}`;
const followHelp = `
Without --from, the first line of --json has only the current position. If the database becomes unavailable, the exit
code is 3: continue with the last position. A position is valid for one server, until its restart or a reset of its
statistics; otherwise the exit code is 4: ${startAnew}.`;

/** The number of changes that one transaction deletes, in about 30 ms. Each transaction has an audit entry. */
const pruneBatch = 10_000;

/** In seconds. After a boot, or a failure of NTP, a clock can be years ahead. */
const maxClockDifference = 3_600;

/** @throws ClearError if a wrong clock may be the reason that changes are old */
function refuseWrongClock({ time, newestIsOld, olderThan, old }: PruningSurvey, all = false): void {
  const apart = Math.abs(time - Date.now() / 1_000);
  if (apart > maxClockDifference)
    throw new ClearError(
      `the clocks of this machine and of the database are ${(apart / 3_600).toFixed(1)} hours apart: nothing was ` +
        'deleted; set both by NTP, then repeat it',
    );
  if (newestIsOld && !all)
    throw new ClearError(
      `the newest change of all is from before ${olderThan}, too, and ${counted(old, 'change')} would be deleted: ` +
        'nothing was deleted; check the clock of the database, and add --all if it is right',
    );
}

export function historyCommands(call: Call, operator: OperatorAccess) {
  const pruning = 'delete old changes from the history, in steps that block nobody; asks first';
  const prune = leaf('prune', pruning, ['history prune --older-than 400d'])
    .requiredOption('--older-than <time>', 'minimum age, such as 400d; at least 1d; required', parse.age)
    .option('--all', 'even if the newest change of all is that old')
    .option('--yes', 'do not ask')
    .action(async ({ olderThan: age, all, yes }) => {
      let pruned = 0;
      const deleted = () => `${pruned} changes are deleted`;
      await operator.withPorts(
        async ({ pruning }) => {
          const survey = await pruning.survey(age);
          const { olderThan, old, upTo } = survey;
          if (old > 0) refuseWrongClock(survey, all);
          if (old > 0 && !yes)
            await call.confirm(`Delete ${counted(old, 'change')}, those before ${olderThan}?`);
          const bar = await call.progress('Pruning', old);
          try {
            for (let count = pruneBatch; upTo && count === pruneBatch; ) {
              call.throwIfStopped(`Stopped: ${deleted()}. Repeat it to go on.`);
              count = await pruning.prune(olderThan, upTo, pruneBatch);
              pruned += count;
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
