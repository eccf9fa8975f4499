import type { Check } from '../support/store/world.ts';
import { compareAndSetChecks } from './compare-and-set-contract.ts';
import { findChecks } from './find-contract.ts';
import { historyChecks } from './history-contract.ts';
import { setMirrorChecks } from './set-mirror-contract.ts';

/** What every `CampaignRepository` promises. */
export const campaignRepositoryContract: readonly Check[] = [
  ...findChecks,
  ...compareAndSetChecks,
  ...setMirrorChecks,
  ...historyChecks,
];
