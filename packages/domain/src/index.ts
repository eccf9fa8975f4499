export { type AccessKey, accessKey, accessKeyBytes, accessKeyFrom, displayedPart } from './access-key.ts';
export type { AccessKeys, NewAccessKey } from './access-keys.ts';
export type { Audit, AuditEntry, AuditedAct, AuditPage } from './audit.ts';
export {
  authorizationRules,
  type OperatorRefusal,
  operatorRefusalOf,
  type Refusal,
  refusalOf,
} from './authorization-rules.ts';
export type { Caller } from './caller.ts';
export type { Campaign } from './campaign.ts';
export type { CampaignRepository, MirrorChange } from './campaign-repository.ts';
export type {
  CampaignCreation,
  CampaignSettings,
  MirrorCreation,
  NewCampaign,
  OwnerHasDefault,
} from './campaign-settings.ts';
export { type HostDenylist, hostDenylist, noDeniedHosts } from './host-denylist.ts';
export {
  type AccessKeyId,
  type AuditId,
  accessKeyId,
  auditId,
  type CampaignId,
  campaignId,
  type HistoryId,
  historyId,
  type MirrorId,
  type OwnerId,
  ownerId,
} from './identifiers.ts';
export type { Identity } from './identity.ts';
export { type Label, label, longestLabel } from './label.ts';
export type { Mirror, Timestamp } from './mirror.ts';
export { type AddressFault, longestAddress, type MirrorAddress, mirrorAddress } from './mirror-address.ts';
export type { OperatorAct } from './operator-act.ts';
export { type Outcome, SetCampaignMirror, type SetMirrorRequest } from './set-campaign-mirror.ts';
export { Unavailable } from './unavailable.ts';
