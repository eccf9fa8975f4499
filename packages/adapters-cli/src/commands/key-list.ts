import type { AccessKeyRecord } from '@campaign-mirror/domain';
import { keyArgument, limitArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import type { Column } from '../terminal/table.ts';
import { type Operator, reading } from './operator.ts';

export function keyList(call: Call, operator: Operator) {
  return leaf({
    name: 'list',
    does: 'list access keys by number: first characters, owner, name, and when each was created, was last used and expires',
    examples: ['key list', 'key list --owner 42', 'key list --limit 20 --after 100 --json'],
  })
    .option('--owner <n>', 'only those of this owner', ownerArgument)
    .option('--limit <n>', 'maximum number to show; all by default', limitArgument)
    .option('--after <id>', 'only those after this one', keyArgument)
    .action(async ({ json, ...asked }) => {
      await operator.administering(({ keys }) => {
        const rows = paged(call, asked, (page) => keys.list(page), 'id');
        return call.output.list(rows, { json, object: keyObject, columns, none: 'There is no access key.' });
      }, reading);
    });
}

const columns: readonly Column<AccessKeyRecord>[] = [
  { head: 'key', right: true, cell: ({ id }) => id },
  { head: 'begins', cell: ({ displayed }) => displayed },
  { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
  { head: 'created', cell: ({ createdAt }) => createdAt },
  { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt },
  { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never' },
  { head: 'revoked', cell: ({ revokedAt }) => revokedAt },
  { head: 'replaced by', right: true, cell: ({ replacedBy }) => replacedBy },
  { head: 'name', cell: ({ name }) => name },
];

function keyObject(key: AccessKeyRecord): object {
  return {
    id: key.id,
    displayed: key.displayed,
    name: key.name,
    owner_id: key.ownerId,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
    replaced_by: key.replacedBy,
  };
}
