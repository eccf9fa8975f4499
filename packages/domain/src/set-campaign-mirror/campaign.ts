import type { CampaignId, OwnerId } from '../values/identifiers.ts';

/** What the rules are judged on. An update takes effect only while all of it still holds. */
export interface Campaign {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}
