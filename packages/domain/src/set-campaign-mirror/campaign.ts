import type { CampaignId, OwnerId } from '../values/identifiers.ts';

/** The facts that the rules check. An update takes effect only while all of them still hold. */
export interface Campaign {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}
