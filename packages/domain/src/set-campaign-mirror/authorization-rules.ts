import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';

/** Those that hold for everybody, the operator included. */
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

/** The three rules (contract: rules), in their order. */
export const authorizationRules = [
  ...campaignRules,
  {
    refusal: 'not-the-owner',
    rule: 'Only the owner of the campaign may update its mirror.',
    holds: (campaign: Campaign, caller: Caller) => campaign.ownerId === caller.ownerId,
  },
] as const;

/** Why a caller may not set the mirror: the name of the first rule that does not hold. */
export type Refusal = (typeof authorizationRules)[number]['refusal'];

/** Why not even the operator may: campaigns are not the operator's own, so that the last rule does not apply. */
export type OperatorRefusal = (typeof campaignRules)[number]['refusal'];

/** The first rule that does not hold for this caller and campaign, or undefined when all hold. */
export function refusalOf(campaign: Campaign, caller: Caller): Refusal | undefined {
  return authorizationRules.find((rule) => !rule.holds(campaign, caller))?.refusal;
}

/** The same for an act of the operator. */
export function operatorRefusalOf(campaign: Campaign): OperatorRefusal | undefined {
  return campaignRules.find((rule) => !rule.holds(campaign))?.refusal;
}
