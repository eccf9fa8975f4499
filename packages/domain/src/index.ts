export type { CampaignExport } from './import-campaigns/campaign-export.ts';
export {
  type CampaignField,
  type CampaignFields,
  campaignFields,
  fieldsOf,
} from './import-campaigns/campaign-fields.ts';
export type {
  BadLine,
  CampaignImport,
  ImportLine,
  ImportOutcome,
  LineFault,
} from './import-campaigns/campaign-import.ts';
export {
  type BadField,
  type Claims,
  claimsOf,
  type FieldFault,
  type ImportedCampaign,
  type ImportedMirror,
  importedCampaign,
} from './import-campaigns/imported-campaign.ts';
export { type HostMove, type HostMoveFault, hostMove } from './move-mirrors/host-move.ts';
export type {
  FoundMirror,
  FoundMirrors,
  MirrorMove,
  MirrorMoveOutcome,
  MirrorMoves,
  MirrorStretch,
  MoveTerms,
} from './move-mirrors/mirror-moves.ts';
export {
  type MirrorMoved,
  MoveMirrors,
  type MoveMirrorsRequest,
  type MoveProgress,
} from './move-mirrors/move-mirrors.ts';
export { movedAddress, type Relocation } from './move-mirrors/moved-address.ts';
export type {
  AccessKeyPage,
  AccessKeyRecord,
  AccessKeys,
  KeyRotation,
  NewAccessKey,
} from './operator/access-keys.ts';
export type { Audit, AuditEntry, AuditedAct, AuditPage } from './operator/audit.ts';
export type { CampaignPage, CampaignRecord, CampaignRecords } from './operator/campaign-record.ts';
export type {
  CampaignCreation,
  CampaignNotFound,
  CampaignSettings,
  DefaultChange,
  Deletion,
  MirrorCreation,
  NewCampaign,
  OwnerHasDefault,
  Transfer,
} from './operator/campaign-settings.ts';
export { CreateMirror, type CreateMirrorOutcome } from './operator/create-mirror.ts';
export {
  type HistoryPosition,
  type HistoryPruning,
  type HistorySurvey,
  leastPrunedAge,
  type PruneStep,
} from './operator/history-pruning.ts';
export type { HistoryEntry, HistoryPage, MirrorHistory } from './operator/mirror-history.ts';
export type { OperatorAct } from './operator/operator-act.ts';
export type { OperatorMirrors, RestoredAddress } from './operator/operator-mirrors.ts';
export { type Restoration, RestoreMirror, type RestoreRequest } from './operator/restore-mirror.ts';
export {
  authorizationRules,
  type OperatorRefusal,
  operatorRefusalOf,
  type Refusal,
  refusalOf,
} from './set-campaign-mirror/authorization-rules.ts';
export type { CallLimit } from './set-campaign-mirror/call-limit.ts';
export type { Caller } from './set-campaign-mirror/caller.ts';
export type { Campaign } from './set-campaign-mirror/campaign.ts';
export type {
  CampaignRepository,
  MirrorChange,
  SetMirrorResult,
} from './set-campaign-mirror/campaign-repository.ts';
export type { Identity } from './set-campaign-mirror/identity.ts';
export type { Mirror, Timestamp } from './set-campaign-mirror/mirror.ts';
export {
  type Outcome,
  SetCampaignMirror,
  type SetMirrorRequest,
} from './set-campaign-mirror/set-campaign-mirror.ts';
export { Unavailable } from './set-campaign-mirror/unavailable.ts';
export {
  type AccessKey,
  accessKey,
  accessKeyBytes,
  accessKeyFrom,
  displayedPart,
} from './values/access-key.ts';
export { type Host, type HostName, host } from './values/host.ts';
export { type HostDenylist, hostDenylist, noDeniedHosts } from './values/host-denylist.ts';
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
  mirrorId,
  type OwnerId,
  ownerId,
} from './values/identifiers.ts';
export { type Label, label, longestLabel } from './values/label.ts';
export {
  type AddressFault,
  longestAddress,
  type MirrorAddress,
  mirrorAddress,
} from './values/mirror-address.ts';
export { timestamp } from './values/timestamp.ts';
