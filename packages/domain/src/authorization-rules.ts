import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';

/** The rules of the specification (section 1), in its order and words. */
export const authorizationRules = [
  {
    refusal: 'mirror-not-created',
    rule: 'The mirror must already have been created in the campaign settings before it can be updated through this interface.',
    holds: (campaign: Campaign) => campaign.hasMirror,
  },
  {
    refusal: 'default-campaign',
    rule: 'The mirror of the default campaign cannot be updated.',
    holds: (campaign: Campaign) => !campaign.isDefault,
  },
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Caller) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** Why a caller may not set the mirror: the name of the first rule that does not hold. */
export type Refusal = (typeof authorizationRules)[number]['refusal'];

/** The first rule that does not hold for this caller and campaign, or undefined when all hold. */
export function refusalOf(campaign: Campaign, caller: Caller): Refusal | undefined {
  return authorizationRules.find((rule) => !rule.holds(campaign, caller))?.refusal;
}
