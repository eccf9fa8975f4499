import type { AuditEntry } from '@campaign-mirror/domain';
import * as given from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import type { Column } from '../terminal/output.ts';
import { listNewest } from '../terminal/pages.ts';
import { jsonOf } from '../terminal/text.ts';
import { type Operator, reading } from './operator.ts';

/** A number that a person can look through. */
const usualLimit = 50;

export function auditCommand(call: Call, operator: Operator) {
  return leaf('audit', 'show who did what with these commands, newest first', [
    'audit',
    'audit --campaign 42',
    'audit --before 1000 --limit 200 --json',
  ])
    .option('--campaign <id>', 'only acts on this campaign', given.campaign)
    .option('--limit <n>', 'maximum number to show', given.limit, usualLimit)
    .option('--before <entry>', 'only entries before this one', given.audit)
    .action(async ({ campaign, json, ...asked }) => {
      const listing = { json, object, columns, none: 'There is no such entry.' };
      await operator.acting(
        ({ audit }) => listNewest(call, asked, listing, (page) => audit.list({ ...page, campaign })),
        reading,
      );
    });
}

const object = ({ id, at, ...entry }: AuditEntry) => jsonOf({ id, actedAt: at, ...entry });

const columns: readonly Column<AuditEntry>[] = [
  { head: 'entry', right: true, cell: ({ id }) => id },
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
  const named = there.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${JSON.stringify(value)}`);
  return named.join(', ') || null;
}
