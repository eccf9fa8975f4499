import {
  type AccessKeyId,
  type AccessKeys,
  accessKeyOf,
  type HistoryEntry,
  type KeyChanges,
  partsOf,
} from '@campaign-mirror/domain';
import { Option } from '@commander-js/extra-typings';
import {
  campaignArgument,
  changeArgument,
  keyArgument,
  limitArgument,
  momentArgument,
} from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import { leaf } from '../terminal/leaf.ts';
import type { Column } from '../terminal/output.ts';
import { listNewest } from '../terminal/pages.ts';
import { campaignRefused, noSuchKey } from '../words/refusals.ts';
import { type AdministrationPorts, type Operator, reading } from './operator.ts';

/** A number that a person can look through. */
const usualLimit = 20;

export function history(call: Call, operator: Operator) {
  return leaf({
    name: 'history',
    does: 'show who set the mirror of a campaign, from which address to which, newest first; or what was done with a key, oldest first; includes deleted campaigns',
    examples: [
      'mirror history 42',
      'mirror history 42 --before 1000 --limit 200 --json',
      'mirror history --key 7 --since 2026-11-20 --json',
    ],
  })
    .argument('[campaign]', 'the campaign; required without --key', campaignArgument)
    .option(
      '--limit <n>',
      `maximum number to show; by default ${usualLimit} of a campaign, all of a key`,
      limitArgument,
    )
    .option('--before <change>', 'only changes of the campaign before this one', changeArgument)
    .addOption(
      new Option('--key <n>', 'only changes made with this key, in all campaigns; reads the whole history')
        .argParser(keyArgument)
        .conflicts('before'),
    )
    .option('--since <time>', 'with --key: only changes at or after this time in UTC', momentArgument)
    .action(async (campaign, { key, since, limit, before, json }) => {
      if (key !== undefined && campaign === undefined) {
        const none = `No change was made with key ${key}${since ? ` since ${since}` : ''}.`;
        const listing = { json, object, columns: ofKeyColumns, none };
        await operator.administering(
          (ports) =>
            call.output.list(ofKey(call, ports, { key, ...(since && { since }) }, limit, json), listing),
          { ...reading, pace: 'unhurried' },
        );
        return;
      }
      if (campaign === undefined || key !== undefined) {
        throw new ClearError('either a campaign or --key is needed', 'usage');
      }
      if (since !== undefined) throw new ClearError('--since is of use with --key only', 'usage');
      await operator.acting(async ({ campaigns, history: kept }) => {
        // The history has changes of campaigns that no longer exist.
        const isKnown = (await campaigns.find(campaign)) ?? (await kept.list({ campaign, limit: 1 }))[0];
        if (!isKnown) throw campaignRefused(campaign, { kind: 'campaign-not-found' });
        const none = `There is no ${before ? `change before ${before}` : 'change'} of the mirror of campaign ${campaign}.`;
        const listing = { json, object, columns, none };
        await listNewest(call, { before, limit: limit ?? usualLimit }, listing, (page) =>
          kept.list({ ...page, campaign }),
        );
      }, reading);
    });
}

/** At most `limit` of the changes made with a key, with a progress bar while the history is scanned. */
async function* ofKey(
  call: Call,
  { history, keys }: AdministrationPorts,
  asked: KeyChanges,
  limit: number | undefined,
  json: boolean | undefined,
): AsyncGenerator<HistoryEntry> {
  const { progress } = await import('../terminal/progress.ts');
  const bar = progress(call, 'Reading the history', json ? undefined : 100);
  let found = 0;
  try {
    for await (const entry of history.ofKey(asked, bar.at)) {
      bar.stop();
      yield entry;
      found += 1;
      if (found === limit) return;
    }
  } catch (error) {
    throw orStopped(error, 'Stopped: there is more.');
  } finally {
    bar.stop();
  }
  // A mistyped number must not look like a key that changed nothing.
  if (found === 0 && !(await isKnown(keys, asked.key))) throw noSuchKey(asked.key);
}

async function isKnown(keys: AccessKeys, key: AccessKeyId): Promise<boolean> {
  const [next] = await keys.list({ after: (key - 1) as AccessKeyId, limit: 1 });
  return next?.id === key;
}

function object(entry: HistoryEntry) {
  return {
    id: entry.id,
    campaign_id: entry.campaignId,
    mirror_id: entry.mirrorId,
    changed_at: entry.changedAt,
    actor: partsOf(entry.subject).kind,
    access_key_id: accessKeyOf(entry.subject) ?? null,
    subject: entry.subject,
    owner_id: entry.ownerId,
    address_before: entry.addressBefore,
    address_after: entry.addressAfter,
    request_id: entry.requestId,
  };
}

const columns: readonly Column<HistoryEntry>[] = [
  { head: 'change', right: true, cell: ({ id }) => id },
  { head: 'when', cell: ({ changedAt }) => changedAt },
  { head: 'by', cell: ({ subject }) => subject },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'from', cell: ({ addressBefore }) => addressBefore },
  { head: 'to', cell: ({ addressAfter }) => addressAfter },
  { head: 'request', cell: ({ requestId }) => requestId },
];

/** The changes made with a key, in all campaigns. */
const ofKeyColumns = columns.toSpliced(2, 0, {
  head: 'campaign',
  right: true,
  cell: ({ campaignId }) => campaignId,
});
