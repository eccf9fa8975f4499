import {
  type CampaignRepositoryWorld,
  type Case,
  campaignRepositoryCases,
  type IdentityWorld,
  identityCases,
} from '@campaign-mirror/domain/contracts';
import { campaignRepositoryWorldOf, identityWorldOf } from './contract-worlds.ts';
import type { World } from './world.ts';

/** A test for each promise of the ports of the use case, on the world that there is when it runs. */
export function everyCase(
  worlds: () => { campaigns: CampaignRepositoryWorld; identity: IdentityWorld },
): void {
  casesOf('CampaignRepository', campaignRepositoryCases, () => worlds().campaigns);
  casesOf('Identity', identityCases, () => worlds().identity);
}

/** The same on a store with all ports. Our worlds have every part that a case can need, so that none is left out. */
export function everyCaseOn(world: () => World): void {
  everyCase(() => ({
    campaigns: campaignRepositoryWorldOf(world()),
    identity: identityWorldOf(world()),
  }));
}

function casesOf<World>(port: string, cases: readonly Case<World>[], world: () => World): void {
  describe(port, () => {
    for (const { name, run } of cases) it(name, () => run(world()));
  });
}
