import { acting } from './acting.ts';
import { campaignArgument } from './arguments.ts';
import { group, leaf } from './leaf.ts';
import { answer } from './output.ts';

export function mirrorCommands() {
  return group('mirror', 'mirrors of campaigns', [create()]);
}

function create() {
  return leaf({
    name: 'create',
    does: 'create the mirror of a campaign, which has one',
    examples: ['mirror create 42 --target-url https://first.example/'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .requiredOption('--target-url <url>', 'the address that it points to')
    .action(async (campaign, { targetUrl, json }) => {
      const { PostgresSettings } = await import('@campaign-mirror/adapters-persistence');
      const { mirrorAddress } = await import('@campaign-mirror/domain');
      const { mirrorBody } = await import('@campaign-mirror/adapters-http');
      const { ClearError } = await import('../clear-error.ts');
      const { addressFaults, noSuchCampaign } = await import('./refusals.ts');
      const made = await acting(({ database, act, settings }) => {
        const address = mirrorAddress(targetUrl, settings.MIRROR_HOST_DENYLIST);
        if (typeof address !== 'string')
          throw new ClearError(`--target-url: ${addressFaults[address.fault]}`);
        return new PostgresSettings(database.orm, act).createMirror(campaign, address);
      });
      if (made.kind === 'campaign-not-found') throw noSuchCampaign(campaign);
      if (made.kind === 'mirror-exists')
        throw new ClearError(`the campaign ${campaign} has a mirror already`);
      await answer(
        json,
        JSON.parse(mirrorBody(made.mirror)),
        `The mirror of campaign ${campaign} was created.`,
      );
    });
}
