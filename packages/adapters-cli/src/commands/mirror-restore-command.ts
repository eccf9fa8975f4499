import { Option } from '@commander-js/extra-typings';
import { campaignArgument, changeArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/clear-error.ts';
import { printable } from '../terminal/escapes.ts';
import { leaf } from '../terminal/leaf.ts';
import { mirrorObject } from '../words/campaign-fields.ts';
import { addressFaults, mirrorRefused, noSuchCampaign } from '../words/refusals.ts';
import type { Operator } from './operator.ts';

export function restore(call: Call, operator: Operator) {
  return leaf({
    name: 'restore',
    does: 'give the mirror of a campaign an earlier address',
    examples: ['mirror restore 42 --to 17', 'mirror restore 42 --undo 18'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .option(
      '--to <change>',
      'the address after this change of the history; required without --undo',
      changeArgument,
    )
    .addOption(
      new Option('--undo <change>', 'the address that this change replaced; required without --to')
        .argParser(changeArgument)
        .conflicts('to'),
    )
    .action(async (campaign, { to, undo, json }) => {
      const change = to ?? undo;
      if (change === undefined) {
        throw new ClearError(
          `--to or --undo is missing: \`./campaign-mirror mirror history ${campaign}\` shows the numbers of the changes`,
          'usage',
        );
      }
      const { RestoreMirror } = await import('@campaign-mirror/domain');
      const restored = await operator.acting(({ campaigns, history, mirrors }, { deniedHosts }) =>
        new RestoreMirror(campaigns, history, mirrors, deniedHosts).execute({
          campaign,
          change,
          address: to === undefined ? 'before' : 'after',
        }),
      );
      switch (restored.kind) {
        case 'campaign-not-found':
          throw noSuchCampaign(campaign);
        case 'refused':
          throw mirrorRefused(campaign, restored.because);
        case 'change-not-found':
          throw new ClearError(
            `the history of the campaign ${campaign} has no change ${change}: ` +
              `\`./campaign-mirror mirror history ${campaign}\` shows the numbers`,
          );
        case 'invalid-address':
          throw new ClearError(
            `the address of change ${change} is refused: ${addressFaults[restored.because]}`,
          );
        case 'restored':
          await call.output.answer(
            json,
            { mirror: mirrorObject(restored.mirror) },
            `The mirror of campaign ${campaign} points to ${printable(restored.mirror.targetUrl)} again.`,
          );
      }
    });
}
