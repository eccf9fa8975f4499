import type { CampaignRecord } from '@campaign-mirror/domain';
import { campaignArgument, limitArgument, nameArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import { confirmed } from '../terminal/prompt.ts';
import { printable } from '../terminal/text.ts';
import { campaignObject, yesOrNo } from '../words/campaign-fields.ts';
import { campaignNamed, campaignRefused } from '../words/refusals.ts';
import { type Operator, reading } from './operator.ts';

export function campaignCommands(call: Call, operator: Operator) {
  return group('campaign', 'create, list, transfer and delete campaigns', [
    create(call, operator),
    listing(call, operator),
    show(call, operator),
    transfer(call, operator),
    defaultFlag(call, operator, true, {
      name: 'set-default',
      does: "make a campaign its owner's default one, whose mirror cannot be set",
      now: "its owner's default one",
    }),
    defaultFlag(call, operator, false, {
      name: 'unset-default',
      does: 'make a default campaign an ordinary one, whose mirror can be set',
      now: 'an ordinary one',
    }),
    deletion(call, operator),
  ]);
}

function create(call: Call, operator: Operator) {
  return leaf({
    name: 'create',
    does: 'create a campaign',
    examples: ['campaign create --owner 42 --name Summer', 'campaign create --owner 42 --default'],
  })
    .requiredOption('--owner <n>', 'the owner; required', ownerArgument)
    .option('--default', "make it the owner's default campaign, whose mirror cannot be set")
    .option('--name <name>', 'a name for people', nameArgument)
    .action(async ({ owner, default: isDefault = false, name, json }) => {
      const made = await operator.administering(({ settings }) =>
        settings.createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      const { id } = made;
      if (made.kind !== 'created') throw campaignRefused(id, made);
      await call.output.answer(json, { id }, `Campaign ${id} was created for the owner ${owner}.`);
    });
}

function listing(call: Call, operator: Operator) {
  return leaf({
    name: 'list',
    does: 'list campaigns by number, with the addresses of their mirrors',
    examples: ['campaign list', 'campaign list --owner 42 --limit 20', 'campaign list --after 1000 --json'],
  })
    .option('--owner <n>', 'only those of this owner', ownerArgument)
    .option('--limit <n>', 'maximum number to show; all by default', limitArgument)
    .option('--after <id>', 'only those after this one', campaignArgument)
    .action(async ({ json, owner, ...asked }) => {
      await operator.acting(({ records }) => {
        const rows = paged(call, asked, 'id', (page) => records.list({ ...page, owner }));
        return call.output.list(rows, {
          json,
          object: campaignObject,
          columns: [
            { head: 'campaign', right: true, cell: ({ id }) => id },
            { head: 'owner', right: true, cell: ({ ownerId }) => ownerId },
            { head: 'default', cell: ({ isDefault }) => yesOrNo(isDefault) },
            { head: 'created', cell: ({ createdAt }) => createdAt },
            { head: 'name', cell: ({ name }) => name },
            { head: 'mirror', cell: ({ mirror }) => mirror?.targetUrl ?? null },
          ],
          none: 'There is no such campaign.',
        });
      }, reading);
    });
}

function show(call: Call, operator: Operator) {
  return leaf({
    name: 'show',
    does: 'show a campaign and where its mirror points to',
    examples: ['campaign show 42'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .action(async (id, { json }) => {
      const campaign = await operator.acting(({ records }) => records.find(id), reading);
      if (!campaign) throw campaignRefused(id, { kind: 'campaign-not-found' });
      if (json) return call.output.object(campaignObject(campaign));
      await call.output.fields([
        ['campaign', campaign.id],
        ['owner', campaign.ownerId],
        ['default', yesOrNo(campaign.isDefault)],
        ['name', campaign.name],
        ['created', campaign.createdAt],
        ['mirror', campaign.mirror?.targetUrl ?? null],
        ['clicks', campaign.mirror?.clicks ?? null],
      ]);
    });
}

function transfer(call: Call, operator: Operator) {
  return leaf({
    name: 'transfer',
    does: 'give a campaign to another owner; keys of the previous owner can no longer set its mirror',
    examples: ['campaign transfer 7 --to 43'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .requiredOption('--to <owner>', 'the new owner; required', ownerArgument)
    .action(async (id, { to, json }) => {
      const done = await operator.administering(({ settings }) => settings.transfer(id, to));
      if (done.kind !== 'transferred' && done.kind !== 'unchanged') throw campaignRefused(id, done);
      const changed = done.kind === 'transferred';
      await call.output.answer(
        json,
        { id, owner_id: to, owner_id_before: changed ? done.from : to, changed },
        changed
          ? `Campaign ${id} belongs to the owner ${to} now; before, to the owner ${done.from}.`
          : `Campaign ${id} belongs to the owner ${to} already: nothing was done.`,
      );
    });
}

function defaultFlag(
  call: Call,
  operator: Operator,
  isDefault: boolean,
  { name, does, now }: { name: string; does: string; now: string },
) {
  return leaf({ name, does, examples: [`campaign ${name} 7`] })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .action(async (id, { json }) => {
      const done = await operator.administering(({ settings }) => settings.setDefault(id, isDefault));
      if (done.kind === 'campaign-not-found' || done.kind === 'owner-has-default')
        throw campaignRefused(id, done);
      const changed = done.kind === 'changed';
      await call.output.answer(
        json,
        { id, owner_id: done.ownerId, is_default: isDefault, changed },
        `Campaign ${id} is ${now} ${changed ? 'now.' : 'already: nothing was done.'}`,
      );
    });
}

function deletion(call: Call, operator: Operator) {
  return leaf({
    name: 'delete',
    does: 'delete a campaign and its mirror, but not their history; asks first',
    examples: ['campaign delete 7', 'campaign delete 7 --yes'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
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
}

/** Everything that is deleted, on one line. */
function question({ id, ownerId, isDefault, name, mirror }: CampaignRecord): string {
  const campaign = `${isDefault ? 'default ' : ''}${campaignNamed(id, name)} of the owner ${ownerId}`;
  const points = mirror && `${printable(mirror.targetUrl)}, clicked ${mirror.clicks} times`;
  return `Delete the ${campaign}, ${points ? `and its mirror (${points})` : 'which has no mirror'}? Its history stays.`;
}
