import { campaignArgument, limitArgument, nameArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import { campaignObject, yesOrNo } from '../words/campaign-fields.ts';
import { noSuchCampaign, ownerHasDefault } from '../words/refusals.ts';
import { setDefault, transfer, unsetDefault } from './campaign-changes.ts';
import { deleteCampaign } from './campaign-delete.ts';
import { type Operator, reading } from './operator.ts';

export function campaignCommands(call: Call, operator: Operator) {
  return group('campaign', 'create, list, transfer and delete campaigns', [
    create(call, operator),
    listing(call, operator),
    show(call, operator),
    transfer(call, operator),
    setDefault(call, operator),
    unsetDefault(call, operator),
    deleteCampaign(call, operator),
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
      if (made.kind === 'owner-has-default') throw ownerHasDefault(made);
      await call.output.answer(
        json,
        { id: made.id },
        `Campaign ${made.id} was created for the owner ${owner}.`,
      );
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
    .action(async ({ json, ...asked }) => {
      await operator.acting(({ records }) => {
        const rows = paged(call, asked, (page) => records.list(page), 'id');
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
      if (!campaign) throw noSuchCampaign(id);
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
