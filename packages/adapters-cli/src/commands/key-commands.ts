import * as domain from '@campaign-mirror/domain';
import { entriesOf, isListed } from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { paged } from '../terminal/pages.ts';
import { type OperatorAccess, reading } from './ports.ts';
import { noSuchKey, notRotated, ownerWarning } from './words.ts';

const keyColumns = [
  ...['id', 'displayed', 'owner_id', 'created_at', 'last_used_at', 'expires_at', 'revoked_at', 'replaced_by'],
  ...['hosts', 'name'],
];

export function keyCommands(call: Call, operator: OperatorAccess) {
  /**
   * Prints a new key, which cannot be shown again: alone on standard output, or in the JSON object.
   * @throws ClearError when the key could not be written
   */
  const printOnce = async (issued: { id: domain.AccessKeyId; key: domain.AccessKey }, sentence: string) => {
    if (!call.output.json) await call.output.note(`${sentence} It cannot be shown again:`);
    await call.output.answer(issued, issued.key);
    if (await call.output.isWritten()) return;
    const { id } = issued;
    throw new ClearError(
      `key ${id} was issued, but standard output did not take it, and it cannot be shown again: ` +
        `revoke it by \`./campaign-mirror key revoke ${id}\`, or replace it by \`./campaign-mirror key rotate ${id} --grace 0s\``,
    );
  };

  const issue = leaf('issue', 'issue an access key, which is shown once, on standard output', [
    'key issue --owner 42 --name "my script"',
    'key issue --owner 42 --name "my script" --expires-in 90d',
    "key issue --owner 42 --name ads --hosts 'shop.example,*.shop.example'",
  ])
    .requiredOption('--owner <n>', 'the owner whose mirrors the key may set; required', parse.owner)
    .requiredOption('--name <name>', 'what the key is for; required', parse.name)
    .option('--expires-in <time>', 'lifetime, such as 1s, 30m, 12h or 90d; 365d by default', parse.life)
    .addOption(new Option('--no-expiry', 'the key never expires').conflicts('expiresIn'))
    .option(
      '--hosts <list>',
      'the only hosts to which the key may set mirrors, such as shop.example,*.shop.example; for good',
      parse.hosts,
    )
    .action(async ({ owner, name, expiresIn, expiry, hosts }) => {
      const life = expiry ? expiresIn : ('never' as const);
      const asked = { owner, name, ...(life && { expiresIn: life }), ...(hosts && { hosts }) };
      const { warning, issued } = await operator.acting(async ({ keys, records }, { deniedHosts }) => {
        const entries = entriesOf(domain.hostList(hosts ?? []) as domain.HostList);
        const denied = entries.find((entry) => isListed(deniedHosts, entry));
        if (denied) throw new ClearError(`--hosts: the host denylist contains ${denied}`);
        return { warning: await ownerWarning(records, owner), issued: await keys.issue(asked) };
      });
      if (warning) await call.output.note(warning);
      let sentence = `Key ${issued.id} of the owner ${owner}.`;
      if (!expiry) sentence += ' It never expires.';
      else if (!expiresIn) sentence += ' It expires in 365 days.';
      if (hosts) sentence += ` It sets mirrors to ${hosts.join(', ')} only.`;
      await printOnce(issued, sentence);
    });

  const list = leaf(
    'list',
    'list access keys by number: first characters, owner, name, and when each was created, was last used and expires',
    ['key list', 'key list --owner 42', 'key list --expiring 14d', 'key list --limit 20 --after 100 --json'],
  )
    .option('--owner <n>', 'only those of this owner', parse.owner)
    .option(
      '--expiring <time>',
      'only those that expire within this time, such as 14d, and are neither revoked nor replaced',
      parse.life,
    )
    .option('--limit <n>', 'maximum number to show; all by default', parse.limit)
    .option('--after <id>', 'only those after this one', parse.key)
    .action(async ({ owner, expiring, ...range }) => {
      await operator.acting(({ keys }) => {
        const rows = paged(call, range, (page) => keys.list({ ...page, owner, expiring }));
        return call.output.list(rows, {
          columns: keyColumns,
          missing: { expires_at: 'never', hosts: 'any' },
          none: expiring ? 'No such key expires within that time.' : 'There is no access key.',
        });
      }, reading);
    });

  const rotate = leaf(
    'rotate',
    'replace a key: issue a successor with the same lifetime, which is shown once; the old key keeps working for a while',
    ['key rotate 7', 'key rotate 7 --grace 7d', 'key rotate 7 --grace 0s'],
  )
    .argument('<id>', 'the number of the key', parse.key)
    .option(
      '--grace <time>',
      'how long the old key keeps working, such as 0s, 30m or 7d; 24h by default',
      parse.grace,
    )
    .action(async (replaces, { grace = 24 * 60 * 60 }) => {
      const rotation = await operator.acting(({ keys }) => keys.rotate(replaces, { grace }));
      if (rotation.kind !== 'rotated') throw notRotated(replaces, rotation);
      const { id, key, ownerId, oldExpiresAt } = rotation;
      const object = { id, key, replaces, replaced_expires_at: oldExpiresAt };
      const sentence = `Key ${id} of the owner ${ownerId} replaces key ${replaces}, which ends at ${oldExpiresAt}.`;
      await printOnce(object, sentence);
    });

  const revoke = leaf('revoke', 'revoke an access key, at once and for good', ['key revoke 7'])
    .argument('<id>', 'the number of the key', parse.key)
    .action(async (id) => {
      const revoked = await operator.acting(({ keys }) => keys.revoke(id));
      if (!revoked) throw noSuchKey(id);
      await call.output.answer({ id, revoked: true }, `Key ${id} is revoked.`);
    });

  return group('key', 'issue, list, rotate and revoke access keys', [issue, list, rotate, revoke]);
}
