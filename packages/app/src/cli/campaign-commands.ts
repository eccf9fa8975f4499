import { acting } from './acting.ts';
import { nameArgument, ownerArgument } from './arguments.ts';
import { group, leaf } from './leaf.ts';
import { answer } from './output.ts';

export function campaignCommands() {
  return group('campaign', 'campaigns', [create()]);
}

function create() {
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
      const { ownerHasDefault } = await import('./refusals.ts');
      const made = await acting(({ database, act }) =>
        new PostgresSettings(database.orm, act).createCampaign({ owner, isDefault, ...(name && { name }) }),
      );
      if (made.kind === 'owner-has-default') throw ownerHasDefault(owner, made);
      await answer(json, { id: made.id }, `Campaign ${made.id} was created for the owner ${owner}.`);
    });
}
