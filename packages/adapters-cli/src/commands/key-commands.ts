import type * as domain from '@campaign-mirror/domain';
import * as operators from '@campaign-mirror/domain/operator';
import { Option } from '@commander-js/extra-typings';
import * as parse from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted } from '../terminal/errors.ts';
import { rowsAfter } from '../terminal/lists.ts';
import { keyNumbers, noSuchKey } from './messages.ts';
import { type AccessOptions, type OperatorAccess, reading } from './operator-access.ts';

const keyColumns =
  'id displayed owner_id created_at last_used_at expires_at revoked_at replaced_by hosts name'.split(' ');

function refuseDenied(hosts: readonly string[] = [], deniedHosts: domain.HostList): void {
  const denied = hosts.find((entry) => operators.isListed(deniedHosts, entry));
  if (denied) throw new ClearError(`the host denylist contains ${denied}: leave it out of --hosts`);
}

const onlyTo = (hosts: readonly string[] | undefined) =>
  hosts ? ` It sets mirrors to ${hosts.join(', ')} only.` : '';

type NotRotated = Exclude<operators.KeyRotation, { kind: 'rotated' }>;

function notRotated(id: domain.AccessKeyId, rotation: NotRotated): ClearError {
  if (rotation.kind === 'key-not-found') return noSuchKey(id);
  let state = `is ${rotation.kind === 'key-revoked' ? 'revoked' : 'expired'}:`;
  if ('by' in rotation) state = `was replaced by key ${rotation.by} already: rotate that one, or`;
  return new ClearError(`key ${id} ${state} issue another with \`./campaign-mirror key issue\``);
}

export function keyCommands(call: Call, operator: OperatorAccess) {
  /** Prints a new key, alone on standard output or in the JSON object. @throws ClearError if it was not written */
  const printOnce = async (issued: { id: domain.AccessKeyId; key: domain.AccessKey }, sentence: string) => {
    if (!call.output.json) await call.output.notice(`${sentence} It cannot be shown again:`);
    await call.output.answer(issued, issued.key);
    if (await call.output.isWritten()) return;
    const { id } = issued;
    throw new ClearError(
      `key ${id} was issued, but could not be written, and it cannot be shown again: revoke it by ` +
        `\`./campaign-mirror key revoke ${id}\`, or replace it by \`./campaign-mirror key rotate ${id} --grace 0s\``,
    );
  };

  const keysOf = (keys: operators.AccessKeys, query: Partial<operators.AccessKeyQuery>) =>
    rowsAfter(call, query, (part) => keys.list({ ...query, ...part }));

  const issue = leaf('issue', 'issue an access key, which is shown once, on standard output', [
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
      const issued = await operator.withPorts(async ({ keys }, { deniedHosts }) => {
        refuseDenied(hosts, deniedHosts);
        return keys.issue(wanted);
      });
      let sentence = `Key ${issued.id} of owner ${owner}.`;
      if (!expiry) sentence += ' It never expires.';
      else if (!expiresIn) sentence += ' It expires in 365 days.';
      await printOnce(issued, sentence + onlyTo(hosts));
    });

  const listing = 'list access keys by number, each with its first characters';
  const list = leaf('list', listing, ['key list --expiring 14d', 'key list --revoked-since 2026-11-20'])
    .option('--owner <n>', 'only keys of this owner', parse.owner)
    .option('--expiring <time>', 'only working keys that expire within this time', parse.life)
    .option('--revoked-since <time>', 'only keys revoked or rotated since this time in UTC', parse.moment)
    .action(async ({ owner, expiring, revokedSince }) => {
      const missing = { expires_at: 'never', hosts: 'any' };
      const table = { columns: keyColumns, missing, none: 'No access key was found.' };
      await operator.withPorts(
        ({ keys }) => call.output.list(keysOf(keys, { owner, expiring, revokedSince }), table),
        reading,
      );
    });

  const rotating = 'issue the successor of a key, shown once; the old key works until the end of --grace';
  const rotate = leaf('rotate', rotating, ['key rotate 7 --grace 7d'])
    .argument('<id>', 'the number of the key', parse.key)
    .option('--grace <time>', 'how long the old key works, such as 0s or 7d; 24h by default', parse.grace)
    .option('--hosts <list>', 'the hosts of the successor; by default, those of the old key', parse.hosts)
    .action(async (replaces, { grace = 24 * 60 * 60, hosts }) => {
      const rotation = await operator.withPorts(async ({ keys }, { deniedHosts }) => {
        refuseDenied(hosts, deniedHosts);
        return keys.rotate(replaces, grace, hosts);
      });
      if (rotation.kind !== 'rotated') throw notRotated(replaces, rotation);
      const { id, key, ownerId, oldExpiresAt } = rotation;
      const object = { id, key, replaces, replaced_expires_at: oldExpiresAt };
      const sentence = `Key ${id} of owner ${ownerId} replaces key ${replaces}, which expires at ${oldExpiresAt}.`;
      await printOnce(object, sentence + onlyTo(hosts));
    });

  const revoking = 'revoke access keys, at once and for good; with --owner or --all, asks first';
  const revoke = leaf('revoke', revoking, ['key revoke 7 8 9', 'key revoke --owner 42'])
    .argument('[ids...]', 'the numbers of the keys', parse.keys)
    .option('--owner <n>', 'all keys of this owner', parse.owner)
    .option('--all', 'all keys of all owners')
    .option('--yes', 'do not ask')
    .action(async (ids, { owner, all, yes }, command) => {
      if ([ids.length, owner, all].filter(Boolean).length !== 1)
        return command.error('exactly one of numbers of keys, --owner and --all is needed');
      const whose = owner === undefined ? 'of all owners' : `of owner ${owner}`;
      const pace: AccessOptions = ids.length === 1 ? {} : { pace: 'in-steps' };
      const revoked = await operator.withPorts(async ({ keys }) => {
        if (ids.length > 0) return keys.revoke({ ids });
        let [known, working] = [0, 0];
        for await (const { revokedAt } of keysOf(keys, { owner })) {
          known += 1;
          if (revokedAt === null) working += 1;
        }
        if (owner && known === 0) throw new ClearError(`there is no key ${whose}: ${keyNumbers}`);
        if (working > 0 && !yes) await call.confirm(`Revoke ${counted(working, 'key')} ${whose}?`);
        return keys.revoke({ owner: owner ?? 'any' });
      }, pace);
      for (const id of revoked) await call.output.answer({ id, revoked: true }, `Key ${id} is revoked.`);
      if (revoked.length + ids.length === 0 && !call.output.json)
        await call.output.notice(`Every key ${whose} was revoked before: nothing was done.`);
      const missing = [...new Set(ids)].filter((id) => !revoked.includes(id));
      if (missing.length > 0)
        throw noSuchKey(missing.join(' or '), revoked.length > 0 ? 'the others are revoked; ' : '');
    });

  return group('key', 'issue, list, rotate and revoke access keys', [issue, list, rotate, revoke]);
}
