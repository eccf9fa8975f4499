import { campaignArgument, limitArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { group, leaf } from '../terminal/leaf.ts';
import { paged } from '../terminal/pages.ts';
import { mirrorFields, mirrorObject } from '../words/campaign-fields.ts';
import { addressFaults, campaignRefused } from '../words/refusals.ts';
import { history } from './mirror-history-command.ts';
import { move } from './mirror-move-command.ts';
import { restore, set } from './mirror-set-commands.ts';
import { type Operator, reading } from './operator.ts';

export function mirrorCommands(call: Call, operator: Operator) {
  return group('mirror', 'create, list, set, restore and move the mirrors of campaigns', [
    create(call, operator),
    listing(call, operator),
    show(call, operator),
    set(call, operator),
    history(call, operator),
    restore(call, operator),
    move(call, operator),
  ]);
}

function create(call: Call, operator: Operator) {
  return leaf({
    name: 'create',
    does: 'create the mirror of a campaign; a campaign has at most one',
    examples: ['mirror create 42 --target-url https://first.example/'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .requiredOption('--target-url <url>', 'the address; required')
    .action(async (campaign, { targetUrl, json }) => {
      const { CreateMirror } = await import('@campaign-mirror/domain');
      const made = await operator.administering(({ settings }, { deniedHosts }) =>
        new CreateMirror(settings, deniedHosts).execute(campaign, targetUrl),
      );
      if (made.kind === 'invalid-address')
        throw new ClearError(`--target-url: ${addressFaults[made.because]}`);
      if (made.kind !== 'created') throw campaignRefused(campaign, made);
      const body = { mirror: mirrorObject(made.mirror) };
      await call.output.answer(json, body, `The mirror of campaign ${campaign} was created.`);
    });
}

function listing(call: Call, operator: Operator) {
  return leaf({
    name: 'list',
    does: 'list mirrors by campaign',
    examples: ['mirror list', 'mirror list --owner 42 --limit 20', 'mirror list --after 1000 --json'],
  })
    .option('--owner <n>', "only those of this owner's campaigns", ownerArgument)
    .option('--limit <n>', 'maximum number to show; all by default', limitArgument)
    .option('--after <campaign>', 'only those of campaigns after this one', campaignArgument)
    .action(async ({ json, owner, ...asked }) => {
      await operator.acting(({ records }) => {
        const rows = paged(call, asked, 'campaignId', (page) => records.listMirrors({ ...page, owner }));
        return call.output.list(rows, {
          json,
          object: mirrorObject,
          columns: [
            { head: 'campaign', right: true, cell: ({ campaignId }) => campaignId },
            { head: 'mirror', right: true, cell: ({ id }) => id },
            { head: 'clicks', right: true, cell: ({ clicks }) => clicks },
            { head: 'updated', cell: ({ updatedAt }) => updatedAt },
            { head: 'target URL', cell: ({ targetUrl }) => targetUrl },
          ],
          none: 'There is no such mirror.',
        });
      }, reading);
    });
}

function show(call: Call, operator: Operator) {
  return leaf({
    name: 'show',
    does: 'show the mirror of a campaign with all its fields',
    examples: ['mirror show 42'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .action(async (id, { json }) => {
      const campaign = await operator.acting(({ records }) => records.find(id), reading);
      if (!campaign) throw campaignRefused(id, { kind: 'campaign-not-found' });
      if (!campaign.mirror) throw campaignRefused(id, { kind: 'refused', because: 'mirror-not-created' });
      if (json) return call.output.object({ mirror: mirrorObject(campaign.mirror) });
      await call.output.fields(mirrorFields(campaign.mirror));
    });
}
