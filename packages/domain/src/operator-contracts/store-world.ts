import type { KeyHolder, Others } from '../contracts/campaign-repository-world.ts';

import type { CampaignExport, CampaignImport } from '../import-campaigns/campaign-import.ts';
import type { MirrorMoves } from '../move-mirrors/mirror-moves.ts';
import type { AccessKeys } from '../operator/access-keys.ts';
import type { Audit, OperatorAct } from '../operator/audit.ts';
import type { CampaignRecords } from '../operator/campaign-record.ts';
import type { CampaignSettings } from '../operator/campaign-settings.ts';
import type { HistoryPruning } from '../operator/history-pruning.ts';
import type { MirrorHistory } from '../operator/mirror-history.ts';
import type { OperatorMirrors } from '../operator/operator-mirrors.ts';
import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Identity } from '../set-campaign-mirror/identity.ts';
import type { AccessKeyId, CampaignId, OwnerId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** The ports of one store. */
export interface StorePorts {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
  readonly settings: CampaignSettings;
  readonly records: CampaignRecords;
  readonly accessKeys: AccessKeys;
  readonly history: MirrorHistory;
  readonly operatorMirrors: OperatorMirrors;
  readonly historyPruning: HistoryPruning;
  readonly mirrorMoves: MirrorMoves;
  readonly audit: Audit;
  readonly imports: CampaignImport;
  readonly exports: CampaignExport;
}

/** What the author of a store with all ports provides for the cases of the operator's. */
export interface StoreWorld extends StorePorts {
  /** What the operator's ports act as. */
  readonly act: OperatorAct;
  readonly others: StoreOthers;
}

/** What is done to the store by others than the ports, and what the store contains. */
export interface StoreOthers extends Required<Omit<Others, 'createCampaign' | 'createMirror'>> {
  readonly expireKey: KeyHolder['expire'];
  readonly deleteKey: KeyHolder['delete'];
  readonly giveKey: (key: AccessKeyId, to: OwnerId) => Promise<unknown>;
  /** Resolves when it is written which keys were used so far. */
  readonly usesAreWritten: () => Promise<unknown>;
  /** All that is stored about an access key, as text. */
  readonly storedKey: (key: AccessKeyId) => Promise<string>;
  /** The SHA-256 of a text in hexadecimal. */
  readonly sha256: (text: string) => string;
  /** Adds a change of any mirror to the campaign's history, made at that time. */
  readonly recordChange: (campaign: CampaignId, changedAt: Timestamp) => Promise<unknown>;
}
