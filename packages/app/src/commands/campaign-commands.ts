import { actingByOrm, reading } from '../operator/acting.ts';
import { noSuchCampaign, ownerHasDefault } from '../operator/refusals.ts';
import { campaignArgument, limitArgument, nameArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import { setDefault, transfer, unsetDefault } from './campaign-changes.ts';
import { deleteCampaign } from './campaign-delete.ts';
import { campaignObject, yesOrNo } from './campaign-fields.ts';

export function campaignCommands(call: Call) {
  return group('campaign', 'campaigns', [
    create(call),
    listing(call),
    show(call),
    transfer(call),
    setDefault(call),
    unsetDefault(call),
    deleteCampaign(call),
  ]);
}

function create(call: Call) {
  return leaf({
    name: 'create',
    does: 'create a campaign',
    examples: ['campaign create --owner 42 --name Summer', 'campaign create --owner 42 --default'],
  })
    .requiredOption('--owner <n>', 'whom it belongs to', ownerArgument)
    .option('--default', "make it the owner's default campaign, whose mirror can not be set")
    .option('--name <name>', 'its name', nameArgument)
    .action(async ({ owner, default: isDefault = false, name, json }) => {
      const { PostgresSettings } = await import('@campaign-mirror/adapters-persistence');
      const made = await actingByOrm(call, ({ database, act }) =>
        new PostgresSettings(database.orm, act).createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      if (made.kind === 'owner-has-default') throw ownerHasDefault(made);
      await call.output.answer(
        json,
        { id: made.id },
        `Campaign ${made.id} was created for the owner ${owner}.`,
      );
    });
}

function listing(call: Call) {
  return leaf({
    name: 'list',
    does: 'list campaigns in the order of their numbers, with the addresses of their mirrors',
    examples: ['campaign list', 'campaign list --owner 42 --limit 20', 'campaign list --after 1000 --json'],
  })
    .option('--owner <n>', 'those of this owner', ownerArgument)
    .option('--limit <n>', 'so many, at most; else all', limitArgument)
    .option('--after <id>', 'those after this one', campaignArgument)
    .action(async ({ json, ...asked }) => {
      const { PostgresCampaignRecords } = await import('@campaign-mirror/adapters-persistence/sql');
      await reading(call, ({ database }) => {
        const records = new PostgresCampaignRecords(database.pool);
        const rows = paged(
          asked,
          (page) => records.list(page),
          ({ id }) => id,
          call.interruption,
        );
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
      });
    });
}

function show(call: Call) {
  return leaf({
    name: 'show',
    does: 'show a campaign and where its mirror points to',
    examples: ['campaign show 42'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .action(async (id, { json }) => {
      const { PostgresCampaignRecords } = await import('@campaign-mirror/adapters-persistence/sql');
      const campaign = await reading(call, ({ database }) =>
        new PostgresCampaignRecords(database.pool).find(id),
      );
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
