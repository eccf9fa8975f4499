import type { AccessKeyId, HistoryEntry, Timestamp } from '@campaign-mirror/domain';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import type { Column } from '../terminal/output.ts';
import { listNewest } from '../terminal/pages.ts';
import { type AdministrationPorts, type OperatorAccess, reading } from './operator.ts';
import { campaignRefused, noSuchKey } from './words.ts';

const defaultLimit = 20;

export function history(call: Call, operator: OperatorAccess) {
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
      `maximum number to show; by default ${defaultLimit} of a campaign, all of a key`,
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
    .action(async (campaign, { key, since, limit, before, json }) => {
      const none = 'There is no such change.';
      if (key !== undefined && campaign === undefined) {
        return operator.administering(
          async (ports) => {
            await call.output.list(ofKey(ports, key, since, limit), { json, columns, none });
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
        const others = columns.filter(({ head }) => head !== 'campaign');
        const listing = { json, columns: others, none };
        await listNewest(call, { before, limit: limit ?? defaultLimit }, listing, (page) =>
          history.list({ ...page, campaign }),
        );
      }, reading);
    });
}

/** At most `limit` of the changes made with a key. @throws ClearError when there is no such key */
async function* ofKey(
  { history, keys }: AdministrationPorts,
  key: AccessKeyId,
  since: Timestamp | undefined,
  limit: number | undefined,
): AsyncGenerator<HistoryEntry> {
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
  const [next] = await keys.list({ after: (key - 1) as AccessKeyId, limit: 1 });
  if (next?.id !== key) throw noSuchKey(key);
}

const columns: readonly Column<HistoryEntry>[] = [
  { head: 'change', right: true, cell: ({ id }) => id },
  { head: 'when', cell: ({ changedAt }) => changedAt },
  { head: 'campaign', right: true, cell: ({ campaignId }) => campaignId },
  { head: 'by', cell: ({ subject }) => subject },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'from', cell: ({ addressBefore }) => addressBefore },
  { head: 'to', cell: ({ addressAfter }) => addressAfter },
  { head: 'request', cell: ({ requestId }) => requestId },
];
