import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';

/** The rules that apply to everyone, including the operator. */
const campaignRules = [
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
] as const;

/** The three rules (contract: rules), in order. */
export const authorizationRules = [
  ...campaignRules,
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Caller) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** Why a caller is not allowed to set the mirror: the first rule that does not hold. */
export type Refusal = (typeof authorizationRules)[number]['refusal'];

/** Why even the operator is not allowed to. The last rule does not apply: the operator does not own campaigns. */
export type OperatorRefusal = (typeof campaignRules)[number]['refusal'];

/** The first rule that does not hold for this caller and campaign, or undefined when all hold. */
export function refusalOf(campaign: Campaign, caller: Caller): Refusal | undefined {
  return authorizationRules.find((rule) => !rule.holds(campaign, caller))?.refusal;
}

/** The same for an act of the operator. */
export function operatorRefusalOf(campaign: Campaign): OperatorRefusal | undefined {
  return campaignRules.find((rule) => !rule.holds(campaign))?.refusal;
}
