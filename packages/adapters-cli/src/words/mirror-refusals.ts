import type { CampaignId, Refusal } from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';

/** The texts for refusals by the rules; a new rule does not compile until it has a text. */
const words: Readonly<Record<Refusal, (campaign: CampaignId) => string>> = {
  'mirror-not-created': (campaign) =>
    `the campaign ${campaign} has no mirror: \`./campaign-mirror mirror create ${campaign}\` creates it`,
  'default-campaign': (campaign) =>
    `the campaign ${campaign} is its owner's default campaign, whose mirror cannot be set: ` +
    `\`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`,
  'not-the-owner': (campaign) =>
    `the campaign ${campaign} belongs to another owner than the key: use a key of the campaign's owner`,
};

export function mirrorRefused(campaign: CampaignId, because: Refusal): ClearError {
  return new ClearError(words[because](campaign));
}
