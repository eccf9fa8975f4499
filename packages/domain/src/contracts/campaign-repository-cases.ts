import { callerCases } from './caller-cases.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Case } from './case.ts';
import { compareAndSetCases } from './compare-and-set-cases.ts';
import { findCases } from './find-cases.ts';
import { historyCases } from './history-cases.ts';
import { setMirrorCases } from './set-mirror-cases.ts';

/** What every `CampaignRepository` promises. Its store can contain other campaigns; those of the cases stay in it. */
export const campaignRepositoryCases: readonly Case<CampaignRepositoryWorld>[] = [
  ...findCases,
  ...compareAndSetCases,
  ...callerCases,
  ...setMirrorCases,
  ...historyCases,
];
