import type { Check, World } from '../support/store/world.ts';
import { accessKeysContract } from './access-keys-contract.ts';
import { auditContract } from './audit-contract.ts';
import { campaignExportContract } from './campaign-export-contract.ts';
import { campaignImportContract } from './campaign-import-contract.ts';
import { campaignRecordsContract } from './campaign-records-contract.ts';
import { campaignRepositoryContract } from './campaign-repository-contract.ts';
import { campaignSettingsContract } from './campaign-settings-contract.ts';
import { historyPruningContract } from './history-pruning-contract.ts';
import { identityContract } from './identity-contract.ts';
import { mirrorHistoryContract } from './mirror-history-contract.ts';
import { mirrorMovesContract } from './mirror-moves-contract.ts';
import { operatorMirrorsContract } from './operator-mirrors-contract.ts';

const contracts: Record<string, readonly Check[]> = {
  CampaignRepository: campaignRepositoryContract,
  CampaignSettings: campaignSettingsContract,
  CampaignRecords: campaignRecordsContract,
  CampaignImport: campaignImportContract,
  CampaignExport: campaignExportContract,
  Audit: auditContract,
  Identity: identityContract,
  AccessKeys: accessKeysContract,
  MirrorHistory: mirrorHistoryContract,
  OperatorMirrors: operatorMirrorsContract,
  MirrorMoves: mirrorMovesContract,
  HistoryPruning: historyPruningContract,
};

/** A test for each promise of these ports, on the world that there is when it runs. */
export function everyCheck(world: () => World, ports: readonly string[] = Object.keys(contracts)): void {
  for (const port of ports) {
    describe(port, () => {
      for (const { name, check } of contracts[port] ?? []) it(name, () => check(world()));
    });
  }
}
