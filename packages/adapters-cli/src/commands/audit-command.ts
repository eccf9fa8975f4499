import type { AuditEntry, AuditId } from '@campaign-mirror/domain';
import { auditArgument, campaignArgument, limitArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import type { Column } from '../terminal/table.ts';
import { type Operator, reading } from './operator.ts';

/** A number that a person can look through. */
const usualLimit = 50;

const none = 'There is no such entry.';

export function auditCommand(call: Call, operator: Operator) {
  return leaf({
    name: 'audit',
    does: 'show who did what with these commands, newest first',
    examples: ['audit', 'audit --campaign 42', 'audit --before 1000 --limit 200 --json'],
  })
    .option('--campaign <id>', 'only acts on this campaign', campaignArgument)
    .option('--limit <n>', 'maximum number to show', limitArgument, usualLimit)
    .option('--before <entry>', 'only entries before this one', auditArgument)
    .action(async ({ campaign, limit, before: first, json }) => {
      await operator.acting(async ({ audit }) => {
        const read = (before: AuditId | undefined, limit: number) =>
          audit.list({ ...(campaign && { campaign }), ...(before && { before }), limit });
        let last = first;
        const page = async ({ after, limit }: { after?: AuditId; limit: number }) => {
          const entries = await read(after, limit);
          last = entries.at(-1)?.id ?? last;
          return entries;
        };
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

const idOf = ({ id }: AuditEntry) => id;

function object(entry: AuditEntry) {
  return {
    id: entry.id,
    acted_at: entry.at,
    act: entry.act,
    operator: entry.operator,
    database_role: entry.databaseRole,
    request_id: entry.requestId,
    campaign_id: entry.campaignId,
    owner_id: entry.ownerId,
    access_key_id: entry.accessKeyId,
    details: entry.details,
  };
}

const columns: readonly Column<AuditEntry>[] = [
  { head: 'entry', right: true, cell: idOf },
  { head: 'when', cell: ({ at }) => at },
  { head: 'operator', cell: ({ operator }) => operator },
  { head: 'database role', cell: ({ databaseRole }) => databaseRole },
  { head: 'act', cell: ({ act }) => act },
  { head: 'campaign', right: true, cell: ({ campaignId }) => campaignId },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'key', right: true, cell: ({ accessKeyId }) => accessKeyId },
  { head: 'details', cell: ({ details }) => sentence(details) },
];

/** Such as `owner id before: 42, name: "Summer"`; missing values are left out. */
function sentence(details: AuditEntry['details']): string | null {
  const there = Object.entries(details).filter(([, value]) => value !== null);
  if (there.length === 0) return null;
  return there.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${JSON.stringify(value)}`).join(', ');
}
