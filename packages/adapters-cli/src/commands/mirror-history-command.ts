import type { CampaignId, HistoryEntry, HistoryId, MirrorHistory } from '@campaign-mirror/domain';
import { campaignArgument, changeArgument, limitArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import type { Column } from '../terminal/table.ts';
import { noSuchCampaign } from '../words/refusals.ts';
import { type Operator, reading } from './operator.ts';

/** As many as a person looks through at once. */
const usualLimit = 20;

export function history(call: Call, operator: Operator) {
  return leaf({
    name: 'history',
    does: 'show who set the mirror of a campaign, and from where to where, the newest first; also of a deleted campaign',
    examples: ['mirror history 42', 'mirror history 42 --before 1000 --limit 200 --json'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .option('--limit <n>', 'so many changes, at most', limitArgument, usualLimit)
    .option('--before <change>', 'those before this change', changeArgument)
    .action(async (campaign, { limit, before: first, json }) => {
      await operator.acting(async ({ campaigns, history: kept }) => {
        const read = (before: HistoryId | undefined, limit: number) =>
          kept.list({ campaign, limit, ...(before && { before }) });
        let last = first;
        const page = async ({ after, limit }: { after?: HistoryId; limit: number }) => {
          const entries = await read(after, limit);
          last = entries.at(-1)?.id ?? last;
          return entries;
        };
        const none = `There is no ${first ? `change before ${first}` : 'change'} of the mirror of campaign ${campaign}.`;
        if (!(await campaigns.find(campaign)) && !(await isRemembered(kept, campaign))) {
          throw noSuchCampaign(campaign);
        }
        const asked = { ...(first && { after: first }), limit };
        const shown = await call.output.list(paged(asked, page, idOf, call.interruption), {
          json,
          object,
          columns,
          none,
        });
        if (shown < limit || call.output.isReaderGone) return;
        const more = await read(last, 1);
        if (more.length > 0) call.output.tell(`There is more: add --before ${last} to see it.`);
      }, reading);
    });
}

/** Whether its history tells of a campaign that there is no more. */
async function isRemembered(kept: MirrorHistory, campaign: CampaignId): Promise<boolean> {
  return (await kept.list({ campaign, limit: 1 })).length > 0;
}

const idOf = ({ id }: HistoryEntry) => id;

function object(entry: HistoryEntry) {
  return {
    id: entry.id,
    campaign_id: entry.campaignId,
    mirror_id: entry.mirrorId,
    changed_at: entry.changedAt,
    actor: entry.actor,
    access_key_id: entry.accessKeyId,
    owner_id: entry.ownerId,
    address_before: entry.addressBefore,
    address_after: entry.addressAfter,
    request_id: entry.requestId,
  };
}

const columns: readonly Column<HistoryEntry>[] = [
  { head: 'change', right: true, cell: idOf },
  { head: 'when', cell: ({ changedAt }) => changedAt },
  { head: 'actor', cell: ({ actor }) => actor },
  { head: 'key', right: true, cell: ({ accessKeyId }) => accessKeyId },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'from', cell: ({ addressBefore }) => addressBefore },
  { head: 'to', cell: ({ addressAfter }) => addressAfter },
  { head: 'request', cell: ({ requestId }) => requestId },
];
