import {
  accessKeyOf,
  type CampaignId,
  type HistoryEntry,
  type MirrorHistory,
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
import { ClearError } from '../terminal/clear-error.ts';
import { leaf } from '../terminal/leaf.ts';
import { listNewest } from '../terminal/pages.ts';
import type { Column } from '../terminal/table.ts';
import { noSuchCampaign } from '../words/refusals.ts';
import { historyOfKey } from './mirror-history-of-key.ts';
import { type Operator, reading } from './operator.ts';

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
        const asked = { key, ...(since && { since }) };
        const listing = { json, object, columns: ofKeyColumns };
        return historyOfKey(call, operator, asked, limit ?? Number.POSITIVE_INFINITY, listing);
      }
      if (campaign === undefined || key !== undefined) {
        throw new ClearError('either a campaign or --key is needed', 'usage');
      }
      if (since !== undefined) throw new ClearError('--since is of use with --key only', 'usage');
      await operator.acting(async ({ campaigns, history: kept }) => {
        if (!(await campaigns.find(campaign)) && !(await isRemembered(kept, campaign))) {
          throw noSuchCampaign(campaign);
        }
        const none = `There is no ${before ? `change before ${before}` : 'change'} of the mirror of campaign ${campaign}.`;
        await listNewest(
          call,
          { before, limit: limit ?? usualLimit },
          (page) => kept.list({ ...page, campaign }),
          { json, object, columns, none },
        );
      }, reading);
    });
}

/** Whether the history has changes of this campaign although it no longer exists. */
async function isRemembered(kept: MirrorHistory, campaign: CampaignId): Promise<boolean> {
  return (await kept.list({ campaign, limit: 1 })).length > 0;
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
