export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/identity.ts';
export {
  type AddressRefusal,
  type Outcome,
  type Refusal,
  SetCampaignMirror,
  type SetMirrorRequest,
  unauthenticated,
} from './set-campaign-mirror/set-campaign-mirror.ts';
export { type AccessKey, accessKey, accessKeyBytes, accessKeyFrom } from './values/access-key.ts';
export {
  type AccessKeyId,
  accessKeyId,
  accessKeyOf,
  type CampaignId,
  campaignId,
  type HistoryId,
  historyId,
  isRequestId,
  keySubject,
  type Label,
  label,
  type MirrorId,
  mirrorId,
  type OwnerId,
  ownerId,
  partsOf,
  type Reader,
  type Subject,
  subject,
  type Timestamp,
  timestamp,
} from './values/identifiers.ts';
export {
  type AddressFault,
  addressFaults,
  type HostList,
  type HostName,
  hostList,
  type MirrorAddress,
  mirrorAddress,
} from './values/mirror-address.ts';
export * from './values/unavailable.ts';
