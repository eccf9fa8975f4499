import type { Case } from '../contracts/case.ts';
import { accessKeysCases } from './access-keys-cases.ts';
import { auditCases } from './audit-cases.ts';
import { campaignDeletionCases } from './campaign-deletion-cases.ts';
import { campaignExportCases } from './campaign-export-cases.ts';
import { campaignImportCases } from './campaign-import-cases.ts';
import { campaignRecordsCases } from './campaign-records-cases.ts';
import { campaignSettingsCases } from './campaign-settings-cases.ts';
import { campaignTransferCases } from './campaign-transfer-cases.ts';
import { foundMirrorsCases } from './found-mirrors-cases.ts';
import { historyPruningCases } from './history-pruning-cases.ts';
import { importLineCases } from './import-line-cases.ts';
import { keyChangesCases } from './key-changes-cases.ts';
import { keyRotationCases } from './key-rotation-cases.ts';
import { mirrorHistoryCases } from './mirror-history-cases.ts';
import { mirrorMovesCases } from './mirror-moves-cases.ts';
import { operatorMirrorsCases } from './operator-mirrors-cases.ts';
import type { StoreWorld } from './store-world.ts';

/** The operator's ports. */
export type OperatorPort =
  | 'CampaignSettings'
  | 'CampaignRecords'
  | 'CampaignImport'
  | 'CampaignExport'
  | 'Audit'
  | 'AccessKeys'
  | 'MirrorHistory'
  | 'OperatorMirrors'
  | 'MirrorMoves'
  | 'HistoryPruning';

/**
 * What each of the operator's ports promises. The store must not be used by anything else meanwhile, because some cases
 * count all that is stored.
 */
export const operatorPortCases: Readonly<Record<OperatorPort, readonly Case<StoreWorld>[]>> = {
  CampaignSettings: [...campaignSettingsCases, ...campaignTransferCases, ...campaignDeletionCases],
  CampaignRecords: campaignRecordsCases,
  CampaignImport: [...campaignImportCases, ...importLineCases],
  CampaignExport: campaignExportCases,
  Audit: auditCases,
  AccessKeys: [...accessKeysCases, ...keyRotationCases],
  MirrorHistory: [...mirrorHistoryCases, ...keyChangesCases],
  OperatorMirrors: operatorMirrorsCases,
  MirrorMoves: [...mirrorMovesCases, ...foundMirrorsCases],
  HistoryPruning: historyPruningCases,
};
