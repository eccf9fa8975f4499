import type { CampaignRecord } from '@campaign-mirror/domain';
import * as given from '../terminal/arguments.ts';
import { group, leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, jsonOf, printable } from '../terminal/errors.ts';
import { paged } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { type OperatorAccess, reading } from './operator.ts';
import { campaignNamed, campaignRefused, noneOf, ownerDoubt } from './words.ts';

export function campaignCommands(call: Call, operator: OperatorAccess) {
  const create = leaf('create', 'create a campaign', [
    'campaign create --owner 42 --name Summer',
    'campaign create --owner 42 --default',
  ])
    .requiredOption('--owner <n>', 'the owner; required', given.owner)
    .option('--default', "make it the owner's default campaign, whose mirror cannot be set")
    .option('--name <name>', 'a name for people', given.name)
    .action(async ({ owner, default: isDefault = false, name, json }) => {
      const made = await operator.administering(({ settings }) =>
        settings.createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      const { id } = made;
      if (made.kind !== 'created') throw campaignRefused(id, made);
      await call.output.answer(json, { id }, `Campaign ${id} was created for the owner ${owner}.`);
    });

  const list = leaf('list', 'list campaigns by number, with the addresses of their mirrors', [
    'campaign list',
    'campaign list --owner 42 --limit 20',
    'campaign list --after 1000 --json',
  ])
    .option('--owner <n>', 'only those of this owner', given.owner)
    .option('--limit <n>', 'maximum number to show; all by default', given.limit)
    .option('--after <id>', 'only those after this one', given.campaign)
    .action(async ({ json, owner, ...asked }) => {
      await operator.acting(({ records }) => {
        const rows = paged(call, asked, 'id', (page) => records.list({ ...page, owner }));
        return call.output.list(rows, {
          json,
          columns: [
            { head: 'campaign', right: true, cell: ({ id }) => id },
            { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
            { head: 'default', cell: ({ isDefault }) => isDefault },
            { head: 'created', cell: ({ createdAt }) => createdAt },
            { head: 'name', cell: ({ name }) => name },
            { head: 'mirror', cell: ({ mirror }) => mirror?.targetUrl ?? null },
          ],
          none: noneOf('campaign', { owner, after: asked.after }),
        });
      }, reading);
    });

  const show = leaf('show', 'show a campaign and where its mirror points to', ['campaign show 42'])
    .argument('<campaign>', 'the campaign', given.campaign)
    .action(async (id, { json }) => {
      const campaign = await operator.acting(({ records }) => records.find(id), reading);
      if (!campaign) throw campaignRefused(id, { kind: 'campaign-not-found' });
      if (json) return call.output.object(jsonOf(campaign));
      await call.output.fields([
        ['campaign', campaign.id],
        ['owner', campaign.ownerId],
        ['default', campaign.isDefault],
        ['name', campaign.name],
        ['created', campaign.createdAt],
        ['mirror', campaign.mirror?.targetUrl ?? null],
        ['clicks', campaign.mirror?.clicks ?? null],
      ]);
    });

  const transfer = leaf(
    'transfer',
    'give a campaign to another owner; keys of the previous owner can no longer set its mirror',
    ['campaign transfer 7 --to 43'],
  )
    .argument('<campaign>', 'the campaign', given.campaign)
    .requiredOption('--to <owner>', 'the new owner; required', given.owner)
    .action(async (id, { to, json }) => {
      const { doubt, done } = await operator.administering(async ({ settings, records }) => ({
        doubt: await ownerDoubt(records, to),
        done: await settings.transfer(id, to),
      }));
      if (done.kind !== 'transferred' && done.kind !== 'unchanged') throw campaignRefused(id, done);
      const changed = done.kind === 'transferred';
      if (doubt) await call.output.note(doubt);
      await call.output.answer(
        json,
        { id, owner_id: to, owner_id_before: changed ? done.from : to, changed },
        changed
          ? `Campaign ${id} belongs to the owner ${to} now; before, to the owner ${done.from}.`
          : `Campaign ${id} belongs to the owner ${to} already: nothing was done.`,
      );
    });

  const deletion = leaf('delete', 'delete a campaign and its mirror, but not their history; asks first', [
    'campaign delete 7',
    'campaign delete 7 --yes',
  ])
    .argument('<campaign>', 'the campaign', given.campaign)
    .option('--yes', 'do not ask')
    .action(async (id, { yes, json }) => {
      const done = await operator.administering(async ({ settings, records }) => {
        if (yes) return settings.deleteCampaign(id);
        const seen = await records.find(id);
        if (!seen) return { kind: 'campaign-not-found' as const };
        await confirmed(call, question(seen));
        call.interruption.throwIfInterrupted('Nothing was done.');
        return settings.deleteCampaign(id, seen);
      });
      if (done.kind === 'campaign-not-found') throw campaignRefused(id, done);
      if (done.kind === 'changed-meanwhile') {
        throw new ClearError(
          `campaign ${id} changed meanwhile: nothing was deleted; look at it again with ` +
            `\`./campaign-mirror campaign show ${id}\``,
        );
      }
      const { name, mirror } = done.campaign;
      const gone = mirror ? ' and its mirror were deleted' : ' was deleted';
      await call.output.answer(
        json,
        { id, deleted: true, clicks: mirror?.clicks ?? null },
        `The ${campaignNamed(id, name)}${gone}; the history stays.`,
      );
    });

  const defaultFlag = (isDefault: boolean) => {
    const [name, one, now, can] = isDefault
      ? ['set-default', 'a campaign', "its owner's default one", 'cannot']
      : ['unset-default', 'a default campaign', 'an ordinary one', 'can'];
    return leaf(name, `make ${one} ${now}, whose mirror ${can} be set`, [`campaign ${name} 7`])
      .argument('<campaign>', 'the campaign', given.campaign)
      .action(async (id, { json }) => {
        const done = await operator.administering(({ settings }) => settings.setDefault(id, isDefault));
        if (done.kind === 'campaign-not-found' || done.kind === 'owner-has-default')
          throw campaignRefused(id, done);
        const changed = done.kind === 'changed';
        const object = { id, owner_id: done.ownerId, is_default: isDefault, changed };
        const sentence = `Campaign ${id} is ${now} ${changed ? 'now.' : 'already: nothing was done.'}`;
        await call.output.answer(json, object, sentence);
      });
  };

  const all = [create, list, show, transfer, defaultFlag(true), defaultFlag(false), deletion];
  return group('campaign', 'create, list, transfer and delete campaigns', all);
}

/** Everything that is deleted, on one line. */
function question({ id, ownerId, isDefault, name, mirror }: CampaignRecord): string {
  const campaign = `${isDefault ? 'default ' : ''}${campaignNamed(id, name)} of the owner ${ownerId}`;
  const points = mirror && `${printable(mirror.targetUrl)}, clicked ${mirror.clicks} times`;
  return `Delete the ${campaign}, ${points ? `and its mirror (${points})` : 'which has no mirror'}? Its history stays.`;
}
