export { type AccessKey, accessKey, accessKeyBytes, accessKeyFrom, displayedPart } from './access-key.ts';
export type {
  AccessKeyPage,
  AccessKeyRecord,
  AccessKeys,
  KeyRotation,
  NewAccessKey,
} from './access-keys.ts';
export type { Audit, AuditEntry, AuditedAct, AuditPage } from './audit.ts';
export {
  authorizationRules,
  type OperatorRefusal,
  operatorRefusalOf,
  type Refusal,
  refusalOf,
} from './authorization-rules.ts';
export type { CallLimit } from './call-limit.ts';
export type { Caller } from './caller.ts';
export type { Campaign } from './campaign.ts';
export type { CampaignExport } from './campaign-export.ts';
export { type CampaignField, type CampaignFields, campaignFields, fieldsOf } from './campaign-fields.ts';
export type { BadLine, CampaignImport, ImportLine, ImportOutcome, LineFault } from './campaign-import.ts';
export type { CampaignPage, CampaignRecord, CampaignRecords } from './campaign-record.ts';
export type { CampaignRepository, MirrorChange, SetMirrorResult } from './campaign-repository.ts';
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
} from './campaign-settings.ts';
export { CreateMirror, type CreateMirrorOutcome } from './create-mirror.ts';
export {
  type HistoryPosition,
  type HistoryPruning,
  type HistorySurvey,
  leastPrunedAge,
  type PruneStep,
} from './history-pruning.ts';
export { type Host, type HostName, host } from './host.ts';
export { type HostDenylist, hostDenylist, noDeniedHosts } from './host-denylist.ts';
export { type HostMove, type HostMoveFault, hostMove } from './host-move.ts';
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
} from './identifiers.ts';
export type { Identity } from './identity.ts';
export {
  type BadField,
  type Claims,
  claimsOf,
  type FieldFault,
  type ImportedCampaign,
  type ImportedMirror,
  importedCampaign,
} from './imported-campaign.ts';
export { type Label, label, longestLabel } from './label.ts';
export type { Mirror, Timestamp } from './mirror.ts';
export { type AddressFault, longestAddress, type MirrorAddress, mirrorAddress } from './mirror-address.ts';
export type { HistoryEntry, HistoryPage, MirrorHistory } from './mirror-history.ts';
export type {
  FoundMirror,
  FoundMirrors,
  MirrorMove,
  MirrorMoveOutcome,
  MirrorMoves,
  MirrorStretch,
  MoveTerms,
} from './mirror-moves.ts';
export { type MirrorMoved, MoveMirrors, type MoveMirrorsRequest, type MoveProgress } from './move-mirrors.ts';
export { movedAddress, type Relocation } from './moved-address.ts';
export type { OperatorAct } from './operator-act.ts';
export type { OperatorMirrors, RestoredAddress } from './operator-mirrors.ts';
export { type Restoration, RestoreMirror, type RestoreRequest } from './restore-mirror.ts';
export {
  type Outcome,
  SetCampaignMirror,
  type SetMirrorRequest,
} from './set-campaign-mirror.ts';
export { timestamp } from './timestamp.ts';
export { Unavailable } from './unavailable.ts';
