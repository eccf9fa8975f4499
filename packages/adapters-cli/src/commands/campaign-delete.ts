import type { CampaignRecord } from '@campaign-mirror/domain';
import { campaignArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/clear-error.ts';
import { printable } from '../terminal/escapes.ts';
import { leaf } from '../terminal/leaf.ts';
import { confirmed } from '../terminal/prompt.ts';
import { campaignNamed, noSuchCampaign } from '../words/refusals.ts';
import type { Operator } from './operator.ts';

export function deleteCampaign(call: Call, operator: Operator) {
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
        if (!seen) throw noSuchCampaign(id);
        await confirmed(call, question(seen), yes);
        call.interruption.throwIfInterrupted('Nothing was done.');
        return settings.deleteCampaign(id, seen);
      });
      if (done.kind === 'campaign-not-found') throw noSuchCampaign(id);
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
