export { type AccessKey, accessKey, accessKeyBytes, accessKeyFrom, displayedPart } from './access-key.ts';
export type { AccessKeys, NewAccessKey } from './access-keys.ts';
export { authorizationRules, type Refusal, refusalOf } from './authorization-rules.ts';
export type { Caller } from './caller.ts';
export type { Campaign } from './campaign.ts';
export type { CampaignRepository, MirrorChange } from './campaign-repository.ts';
export type { CampaignCreation, CampaignSettings, MirrorCreation, NewCampaign } from './campaign-settings.ts';
export { type HostDenylist, hostDenylist, noDeniedHosts } from './host-denylist.ts';
export {
  type AccessKeyId,
  accessKeyId,
  type CampaignId,
  campaignId,
  type MirrorId,
  type OwnerId,
  ownerId,
} from './identifiers.ts';
export type { Identity } from './identity.ts';
export type { Mirror, Timestamp } from './mirror.ts';
export { type AddressFault, longestAddress, type MirrorAddress, mirrorAddress } from './mirror-address.ts';
export { type Outcome, SetCampaignMirror, type SetMirrorRequest } from './set-campaign-mirror.ts';
export { Unavailable } from './unavailable.ts';
