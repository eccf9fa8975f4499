import type { AccessKey } from '@campaign-mirror/domain';
import { campaignArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError } from '../terminal/clear-error.ts';
import { leaf } from '../terminal/leaf.ts';
import { secret } from '../terminal/prompt.ts';
import { mirrorObject } from '../words/campaign-fields.ts';
import { addressFaults, mirrorRefused, noSuchCampaign } from '../words/refusals.ts';
import type { Operator } from './operator.ts';

export function set(call: Call, operator: Operator) {
  return leaf({
    name: 'set',
    does: 'set the mirror of a campaign as a call with an access key does; reads the key from CAMPAIGN_MIRROR_KEY, or asks for it',
    examples: ["mirror set 42 'https://second.example/?click={click_id}'"],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .argument('<url>', 'the new address')
    .action(async (campaign, url, { json }) => {
      const { SetCampaignMirror } = await import('@campaign-mirror/domain');
      call.hear();
      const key = await keyOfCaller(call, operator);
      const outcome = await operator.acting(({ campaigns, identity }, { deniedHosts, requestId }) =>
        new SetCampaignMirror(campaigns, identity, deniedHosts).execute({
          credential: key,
          campaign,
          address: url,
          requestId,
        }),
      );
      switch (outcome.kind) {
        case 'over-limit':
        case 'no-address':
          throw new Error(`${outcome.kind}, though there is no limit, and an address`);
        case 'unauthenticated':
          throw refusedKey();
        case 'campaign-not-found':
          throw noSuchCampaign(campaign);
        case 'refused':
          throw mirrorRefused(campaign, outcome.because);
        case 'invalid-address':
          throw new ClearError(`the URL is refused: ${addressFaults[outcome.because]}`);
        case 'mirror-set':
          await call.output.answer(
            json,
            { mirror: mirrorObject(outcome.mirror) },
            `The mirror of campaign ${campaign} is set.`,
          );
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
