export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/identity.ts';
export {
  type AddressRefusal,
  type Outcome,
  type Refusal,
  refusalOf,
  SetCampaignMirror,
  type SetMirrorRequest,
  unauthenticated,
} from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './values/access-key.ts';
export * from './values/identifiers.ts';
export * from './values/mirror-address.ts';
export * from './values/unavailable.ts';
