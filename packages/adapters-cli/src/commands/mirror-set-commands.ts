import type { AccessKey } from '@campaign-mirror/domain';
import { Option } from '@commander-js/extra-typings';
import { campaignArgument, changeArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/errors.ts';
import { leaf } from '../terminal/leaf.ts';
import { secret } from '../terminal/prompt.ts';
import { printable } from '../terminal/text.ts';
import { mirrorObject } from '../words/campaign-fields.ts';
import { addressFaults, campaignRefused } from '../words/refusals.ts';
import type { Operator } from './operator.ts';

export function set(call: Call, operator: Operator) {
  return leaf({
    name: 'set',
    does: 'set the mirror of a campaign as a call with an access key does; reads the key from CAMPAIGN_MIRROR_KEY, or asks for it',
    examples: ["mirror set 42 'https://second.example/?click={click_id}'"],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .argument('<url>', 'the new address')
    .action(async (campaign, address, { json }) => {
      const { SetCampaignMirror } = await import('@campaign-mirror/domain');
      const credential = await keyOfCaller(call, operator);
      const outcome = await operator.acting(({ campaigns, identity }, { deniedHosts, requestId }) =>
        new SetCampaignMirror(campaigns, identity, deniedHosts).execute({
          credential,
          campaign,
          address,
          requestId,
        }),
      );
      switch (outcome.kind) {
        case 'over-limit':
        case 'no-address':
          throw new Error(`${outcome.kind}, though there is no limit, and an address`);
        case 'unauthenticated':
          throw refusedKey();
        case 'invalid-address':
          throw new ClearError(`the URL is refused: ${addressFaults[outcome.because]}`);
        case 'mirror-set': {
          const body = { mirror: mirrorObject(outcome.mirror) };
          return call.output.answer(json, body, `The mirror of campaign ${campaign} is set.`);
        }
        default:
          throw campaignRefused(campaign, outcome);
      }
    });
}

/** Never read from an argument: every user of the machine can see those, and shells record them. @throws ClearError */
async function keyOfCaller(call: Call, operator: Operator): Promise<AccessKey> {
  const { accessKey } = await import('@campaign-mirror/domain');
  const otherwise = 'no access key, and nobody to ask for it: put it into the variable CAMPAIGN_MIRROR_KEY';
  const text = (await operator.accessKey()) ?? (await secret(call, 'The access key:', otherwise));
  const key = accessKey(text.trim());
  if (key === undefined) throw refusedKey();
  return key;
}

function refusedKey(): ClearError {
  return new ClearError(
    'the access key is malformed, unknown, expired or revoked: `./campaign-mirror key issue` issues another',
  );
}

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
      const numbers = `\`./campaign-mirror mirror history ${campaign}\` shows the numbers`;
      if (change === undefined) {
        throw new ClearError(`--to or --undo is missing: ${numbers} of the changes`, 'usage');
      }
      const { RestoreMirror } = await import('@campaign-mirror/domain');
      const address = to === undefined ? 'before' : 'after';
      const restored = await operator.acting(({ campaigns, history, mirrors }, { deniedHosts }) =>
        new RestoreMirror(campaigns, history, mirrors, deniedHosts).execute({ campaign, change, address }),
      );
      switch (restored.kind) {
        case 'change-not-found':
          throw new ClearError(`the history of the campaign ${campaign} has no change ${change}: ${numbers}`);
        case 'invalid-address': {
          const fault = addressFaults[restored.because];
          throw new ClearError(`the address of change ${change} is refused: ${fault}`);
        }
        case 'restored': {
          const { mirror } = restored;
          const sentence = `The mirror of campaign ${campaign} points to ${printable(mirror.targetUrl)} again.`;
          return call.output.answer(json, { mirror: mirrorObject(mirror) }, sentence);
        }
        default:
          throw campaignRefused(campaign, restored);
      }
    });
}
