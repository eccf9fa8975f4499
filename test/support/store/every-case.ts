import {
  type Case,
  campaignRepositoryCases,
  campaignRepositoryWorldOf,
  identityCases,
  identityWorldOf,
  operatorPortCases,
} from '@campaign-mirror/domain/contracts';
import type { World } from './world.ts';

/** A test for each promise of all ports, on the world that there is when it runs. */
export function allPorts(world: () => World): void {
  hotPathPorts(world);
  for (const [port, cases] of Object.entries(operatorPortCases)) everyCase(port, cases, world);
}

/** Our worlds have every part that a case can need, so that none is left out. */
export function hotPathPorts(world: () => World): void {
  everyCase('CampaignRepository', campaignRepositoryCases, () => campaignRepositoryWorldOf(world()));
  everyCase('Identity', identityCases, () => identityWorldOf(world()));
}

function everyCase<World>(port: string, cases: readonly Case<World>[], world: () => World): void {
  describe(port, () => {
    for (const { name, run } of cases) it(name, () => run(world()));
  });
}
