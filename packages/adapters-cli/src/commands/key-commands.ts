import type { AccessKey, AccessKeyId } from '@campaign-mirror/domain';
import { Option } from '@commander-js/extra-typings';
import {
  graceArgument,
  keyArgument,
  lifeArgument,
  limitArgument,
  nameArgument,
  ownerArgument,
} from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { group, leaf } from '../terminal/leaf.ts';
import type { Output } from '../terminal/output.ts';
import { paged } from '../terminal/pages.ts';
import { noSuchKey, notRotated } from '../words/refusals.ts';
import { type Operator, reading } from './operator.ts';

export function keyCommands(call: Call, operator: Operator) {
  return group('key', 'issue, list, rotate and revoke access keys', [
    issue(call, operator),
    listing(call, operator),
    rotate(call, operator),
    revoke(call, operator),
  ]);
}

function issue(call: Call, operator: Operator) {
  return leaf({
    name: 'issue',
    does: 'issue an access key, which is shown once, on standard output',
    examples: [
      'key issue --owner 42 --name "my script"',
      'key issue --owner 42 --name "my script" --expires-in 90d',
    ],
  })
    .requiredOption('--owner <n>', 'the owner whose mirrors the key may set; required', ownerArgument)
    .requiredOption('--name <name>', 'what the key is for; required', nameArgument)
    .option('--expires-in <time>', 'lifetime, such as 1s, 30m, 12h or 90d; 365d by default', lifeArgument)
    .addOption(new Option('--no-expiry', 'the key never expires').conflicts('expiresIn'))
    .action(async ({ owner, name, expiresIn, expiry, json }) => {
      const life = expiry ? expiresIn : 'never';
      const issued = await operator.administering(({ keys }) =>
        keys.issue({ owner, name, ...(life && { expiresIn: life }) }),
      );
      const ends = expiry ? (expiresIn ? '' : ' It expires in 365 days.') : ' It never expires.';
      await shownOnce(call.output, json, issued, `Key ${issued.id} of the owner ${owner}.${ends}`);
    });
}

function listing(call: Call, operator: Operator) {
  return leaf({
    name: 'list',
    does: 'list access keys by number: first characters, owner, name, and when each was created, was last used and expires',
    examples: ['key list', 'key list --owner 42', 'key list --limit 20 --after 100 --json'],
  })
    .option('--owner <n>', 'only those of this owner', ownerArgument)
    .option('--limit <n>', 'maximum number to show; all by default', limitArgument)
    .option('--after <id>', 'only those after this one', keyArgument)
    .action(async ({ json, owner, ...asked }) => {
      await operator.administering(({ keys }) => {
        const rows = paged(call, asked, 'id', (page) => keys.list({ ...page, owner }));
        return call.output.list(rows, {
          json,
          object: (key) => ({
            id: key.id,
            displayed: key.displayed,
            name: key.name,
            owner_id: key.ownerId,
            created_at: key.createdAt,
            expires_at: key.expiresAt,
            last_used_at: key.lastUsedAt,
            revoked_at: key.revokedAt,
            replaced_by: key.replacedBy,
          }),
          columns: [
            { head: 'key', right: true, cell: ({ id }) => id },
            { head: 'begins', cell: ({ displayed }) => displayed },
            { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
            { head: 'created', cell: ({ createdAt }) => createdAt },
            { head: 'last used', cell: ({ lastUsedAt }) => lastUsedAt },
            { head: 'expires', cell: ({ expiresAt }) => expiresAt ?? 'never' },
            { head: 'revoked', cell: ({ revokedAt }) => revokedAt },
            { head: 'replaced by', right: true, cell: ({ replacedBy }) => replacedBy },
            { head: 'name', cell: ({ name }) => name },
          ],
          none: 'There is no access key.',
        });
      }, reading);
    });
}

/** A day, in seconds. */
const usualGrace = 86_400;

function rotate(call: Call, operator: Operator) {
  return leaf({
    name: 'rotate',
    does: 'replace a key: issue a successor with the same lifetime, which is shown once; the old key keeps working for a while',
    examples: ['key rotate 7', 'key rotate 7 --grace 7d', 'key rotate 7 --grace 0s'],
  })
    .argument('<id>', 'the number of the key', keyArgument)
    .option(
      '--grace <time>',
      'how long the old key keeps working, such as 0s, 30m or 7d; 24h by default',
      graceArgument,
    )
    .action(async (replaces, { grace = usualGrace, json }) => {
      const rotation = await operator.administering(({ keys }) => keys.rotate(replaces, { grace }));
      if (rotation.kind !== 'rotated') throw notRotated(replaces, rotation);
      const { id, key, ownerId, oldExpiresAt } = rotation;
      const object = { id, key, replaces, replaced_expires_at: oldExpiresAt };
      const about = `Key ${id} of the owner ${ownerId} replaces key ${replaces}, which ends at ${oldExpiresAt}.`;
      await shownOnce(call.output, json, object, about);
    });
}

function revoke(call: Call, operator: Operator) {
  return leaf({
    name: 'revoke',
    does: 'revoke an access key: a statement that begins afterwards writes nothing; one that was already waiting for a row may still write',
    examples: ['key revoke 7'],
  })
    .argument('<id>', 'the number of the key', keyArgument)
    .action(async (id, { json }) => {
      const revoked = await operator.administering(({ keys }) => keys.revoke(id));
      if (!revoked) throw noSuchKey(id);
      await call.output.answer(json, { id, revoked: true }, `Key ${id} is revoked.`);
    });
}

/**
 * Shows a new key, which cannot be shown again: alone on standard output, or in the JSON object.
 * @throws ClearError when the key could not be written
 */
async function shownOnce(
  output: Output,
  json: boolean | undefined,
  object: { readonly id: AccessKeyId; readonly key: AccessKey },
  about: string,
): Promise<void> {
  if (!json) await output.tell(`${about} It cannot be shown again:`);
  await output.answer(json, object, object.key);
  if (await output.isTaken()) return;
  const { id } = object;
  throw new ClearError(
    `key ${id} was issued, but standard output did not take it, and it cannot be shown again: ` +
      `revoke it by \`./campaign-mirror key revoke ${id}\`, or replace it by \`./campaign-mirror key rotate ${id} --grace 0s\``,
  );
}
