export * from './import-campaigns/campaign-fields.ts';
export * from './import-campaigns/campaign-import.ts';
export * from './import-campaigns/imported-campaign.ts';
export * from './move-mirrors/mirror-moves.ts';
export type { MirrorMoved, MoveProgress } from './move-mirrors/move-mirrors.ts';
export * from './move-mirrors/move-mirrors.ts';
export { type HostMove, type HostMoveFault, hostMove } from './move-mirrors/moved-address.ts';
export * from './move-mirrors/undo-move.ts';
export * from './operator/access-keys.ts';
export * from './operator/audit.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/mirror-history.ts';
export * from './operator/mirror-history.ts';
export * from './operator/set-mirror-as-operator.ts';
export * from './operator/set-mirror-as-operator.ts';
export * from './operator/set-mirror-as-operator.ts';
export * from './operator/set-mirror-as-operator.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/identity.ts';
export * from './set-campaign-mirror/identity.ts';
export * from './set-campaign-mirror/identity.ts';
export type { OperatorRefusal, Refusal } from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './values/access-key.ts';
export * from './values/identifiers.ts';
export * from './values/identifiers.ts';
export * from './values/identifiers.ts';
export {
  accessKeyOf,
  keySubject,
  operatorSubject,
  partsOf,
  type Subject,
  subject,
} from './values/identifiers.ts';
export * from './values/mirror-address.ts';
export {
  type Host,
  type HostDenylist,
  type HostName,
  host,
  hostDenylist,
  isOnHost,
  noDeniedHosts,
} from './values/mirror-address.ts';
