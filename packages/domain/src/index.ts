export * from './import-campaigns/campaign-import.ts';
export * from './move-mirrors/mirror-moves.ts';
export * from './move-mirrors/move-mirrors.ts';
export { type HostMove, type HostMoveFault, hostMove } from './move-mirrors/moved-address.ts';
export * from './operator/access-keys.ts';
export * from './operator/audit.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/follow-changes.ts';
export * from './operator/mirror-history.ts';
export * from './operator/operator-mirrors.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/identity.ts';
export {
  type AddressRefusal,
  type OperatorRefusal,
  type Outcome,
  type Refusal,
  SetCampaignMirror,
  type SetMirrorRequest,
  unauthenticated,
} from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './values/access-key.ts';
export * from './values/identifiers.ts';
export * from './values/mirror-address.ts';
export * from './values/unavailable.ts';
