export * from './import-campaigns/campaign-fields.ts';
export * from './import-campaigns/campaign-import.ts';
export * from './import-campaigns/imported-campaign.ts';
export { type HostMove, type HostMoveFault, hostMove } from './move-mirrors/host-move.ts';
export type { MirrorMoved, MoveProgress } from './move-mirrors/make-moves.ts';
export * from './move-mirrors/mirror-moves.ts';
export * from './move-mirrors/move-mirrors.ts';
export * from './move-mirrors/undo-move.ts';
export * from './operator/access-keys.ts';
export * from './operator/audit.ts';
export * from './operator/campaign-record.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/create-mirror.ts';
export * from './operator/history-pruning.ts';
export * from './operator/mirror-history.ts';
export * from './operator/operator-mirrors.ts';
export * from './operator/restore-mirror.ts';
export * from './operator/set-mirror-as-operator.ts';
export type { OperatorRefusal, Refusal } from './set-campaign-mirror/authorization-rules.ts';
export * from './set-campaign-mirror/call-limit.ts';
export * from './set-campaign-mirror/caller.ts';
export * from './set-campaign-mirror/campaign.ts';
export * from './set-campaign-mirror/campaign-repository.ts';
export * from './set-campaign-mirror/identity.ts';
export * from './set-campaign-mirror/mirror.ts';
export * from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './set-campaign-mirror/unavailable.ts';
export * from './values/access-key.ts';
export { type Host, type HostName, host, isOnHost } from './values/host.ts';
export { type HostDenylist, hostDenylist, noDeniedHosts } from './values/host-denylist.ts';
export * from './values/identifiers.ts';
export * from './values/label.ts';
export * from './values/mirror-address.ts';
export {
  accessKeyOf,
  keySubject,
  operatorSubject,
  partsOf,
  type Subject,
  subject,
} from './values/subject.ts';
export * from './values/timestamp.ts';
