import { brokenFinds } from './broken-finds.ts';
import { brokenWrites } from './broken-writes.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Breakage } from './case.ts';

/**
 * Breaks a correct repository, to show that the cases notice it: each case fails at least one of these. What is stored
 * is broken as others see it, so that this works with any store.
 */
export const brokenRepositories: readonly Breakage<CampaignRepositoryWorld>[] = [
  ...brokenFinds,
  ...brokenWrites,
];
