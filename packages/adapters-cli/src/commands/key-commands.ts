import type * as domain from '@campaign-mirror/domain';
import { type AccessKeyPage, type AccessKeys, isListed } from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted } from '../terminal/errors.ts';
import { paged } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type AccessOptions, type OperatorAccess, reading } from './ports.ts';
import { asked, keyNumbers, noSuchKey, notRotated, ownerWarning } from './words.ts';

const keyColumns =
  'id displayed owner_id created_at last_used_at expires_at revoked_at replaced_by hosts name'.split(' ');

/** @throws ClearError for a host that no mirror may point to */
function refuseDenied(hosts: readonly string[] = [], deniedHosts: domain.HostList): void {
  const denied = hosts.find((entry) => isListed(deniedHosts, entry));
  if (denied) throw new ClearError(`the host denylist contains ${denied}: leave it out of --hosts`);
}

const only = (hosts: readonly string[] | undefined) =>
  hosts ? ` It sets mirrors to ${hosts.join(', ')} only.` : '';

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

  const listed = (keys: AccessKeys, wanted: Partial<AccessKeyPage>) =>
    paged(call, wanted, (page) => keys.list({ ...wanted, ...page }));

  const issue = leaf('issue', 'issue an access key, which is shown once, on standard output', [
    'key issue --owner 42 --name "my script"',
    'key issue --owner 42 --name "my script" --expires-in 90d',
    "key issue --owner 42 --name ads --hosts 'shop.example,*.shop.example'",
  ])
    .requiredOption('--owner <n>', 'the owner whose mirrors the key may set; required', parse.owner)
    .requiredOption('--name <name>', 'what the key is for; required', parse.name)
    .option('--expires-in <time>', 'lifetime, such as 1s, 30m, 12h or 90d; 365d by default', parse.life)
    .addOption(new Option('--no-expiry', 'the key never expires').conflicts('expiresIn'))
    .option('--hosts <list>', 'the only hosts to which the key may set mirrors; any by default', parse.hosts)
    .action(async ({ owner, name, expiresIn, expiry, hosts }) => {
      const life = expiry ? expiresIn : ('never' as const);
      const wanted = { owner, name, ...(life && { expiresIn: life }), ...(hosts && { hosts }) };
      const { warning, issued } = await operator.acting(async ({ keys, records }, { deniedHosts }) => {
        refuseDenied(hosts, deniedHosts);
        return { warning: await ownerWarning(records, owner), issued: await keys.issue(wanted) };
      });
      if (warning) await call.output.note(warning);
      let sentence = `Key ${issued.id} of the owner ${owner}.`;
      if (!expiry) sentence += ' It never expires.';
      else if (!expiresIn) sentence += ' It expires in 365 days.';
      await printOnce(issued, sentence + only(hosts));
    });

  const list = leaf('list', 'list access keys by number, each with its first characters', [
    'key list --owner 42',
    'key list --expiring 14d',
    'key list --revoked-since 2026-11-20 --json',
  ])
    .option('--owner <n>', 'only those of this owner', parse.owner)
    .option('--expiring <time>', 'only those that expire within it, unless revoked or replaced', parse.life)
    .option(
      '--revoked-since <time>',
      'only those revoked or rotated at or after this time in UTC',
      parse.moment,
    )
    .action(async ({ owner, expiring, revokedSince }) => {
      const wanted = { 'of the owner': owner, 'revoked or rotated at or after': revokedSince };
      const soon = { 'to replace within': expiring && 'that time' };
      const none = `There is no access key${asked({ ...wanted, ...soon })}.`;
      const listing = { columns: keyColumns, missing: { expires_at: 'never', hosts: 'any' }, none };
      await operator.acting(
        ({ keys }) => call.output.list(listed(keys, { owner, expiring, revokedSince }), listing),
        reading,
      );
    });

  const rotate = leaf(
    'rotate',
    'issue the successor of a key, which is shown once; the old one works for a while',
    ['key rotate 7 --grace 7d', 'key rotate 7 --grace 0s --hosts shop.example'],
  )
    .argument('<id>', 'the number of the key', parse.key)
    .option(
      '--grace <time>',
      'how long the old key works, such as 0s, 30m or 7d; 24h by default',
      parse.grace,
    )
    .option('--hosts <list>', 'the hosts of the successor; by default, those of the old key', parse.hosts)
    .action(async (replaces, { grace = 24 * 60 * 60, hosts }) => {
      const rotation = await operator.acting(async ({ keys }, { deniedHosts }) => {
        refuseDenied(hosts, deniedHosts);
        return keys.rotate(replaces, grace, hosts);
      });
      if (rotation.kind !== 'rotated') throw notRotated(replaces, rotation);
      const { id, key, ownerId, oldExpiresAt } = rotation;
      const object = { id, key, replaces, replaced_expires_at: oldExpiresAt };
      const sentence = `Key ${id} of the owner ${ownerId} replaces key ${replaces}, which ends at ${oldExpiresAt}.`;
      await printOnce(object, sentence + only(hosts));
    });

  const revoke = leaf(
    'revoke',
    'revoke access keys, at once and for good; with --owner or --all, asks first',
    ['key revoke 7 8 9', 'key revoke --owner 42'],
  )
    .argument('[ids...]', 'the numbers of the keys', parse.keys)
    .option('--owner <n>', 'all keys of this owner', parse.owner)
    .option('--all', 'all keys of all owners')
    .option('--yes', 'do not ask')
    .action(async (ids, { owner, all, yes }, command) => {
      if ([ids.length, owner, all].filter(Boolean).length !== 1)
        return command.error('exactly one of numbers of keys, --owner and --all is needed');
      const whose = owner === undefined ? 'of all owners' : `of the owner ${owner}`;
      const pace: AccessOptions = ids.length === 1 ? {} : { pace: 'in-steps' };
      const revoked = await operator.acting(async ({ keys }) => {
        if (ids.length > 0) return keys.revoke({ ids });
        let [known, working] = [0, 0];
        for await (const { revokedAt } of listed(keys, { owner })) {
          known += 1;
          if (revokedAt === null) working += 1;
        }
        if (owner && known === 0) throw new ClearError(`there is no key ${whose}: ${keyNumbers}`);
        if (working > 0 && !yes) await confirmed(call, `Revoke ${counted(working, 'key')} ${whose}?`);
        return keys.revoke({ owner: owner ?? 'any' });
      }, pace);
      for (const id of revoked) await call.output.answer({ id, revoked: true }, `Key ${id} is revoked.`);
      if (revoked.length + ids.length === 0 && !call.output.json)
        await call.output.note(`Every key ${whose} was revoked before: nothing was done.`);
      const missing = [...new Set(ids)].filter((id) => !revoked.includes(id));
      if (missing.length > 0)
        throw noSuchKey(missing.join(' or '), revoked.length > 0 ? 'the others are revoked; ' : '');
    });

  return group('key', 'issue, list, rotate and revoke access keys', [issue, list, rotate, revoke]);
}
