import { expect } from 'chai';
import { freshDatabase } from '../support/database/database-server.ts';
import {
  type Breakage,
  type BreakageOfChains,
  type BreakageTogether,
  brokenInChains,
  brokenInMemory,
  brokenInPostgres,
  brokenTogether,
} from '../support/store/broken-campaigns.ts';
import { inMemoryWorld } from '../support/store/in-memory-world.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import type { World } from '../support/store/world.ts';
import { campaignRepositoryContract } from './campaign-repository-contract.ts';

const race = 'history: 20 racing updates all succeed and make one unbroken chain, whose last stands';

/** Checks that have to notice; others may, too. */
const noticedBy: Record<Breakage | BreakageTogether | BreakageOfChains, readonly string[]> = {
  'trusts the claim': [
    'setMirror: nothing is written, and nothing is said about the campaign, when the key is revoked',
    'setMirror: nothing is written, and nothing is said about the campaign, when the key has expired',
  ],
  'writes blindly': [
    'setMirror: nothing is written, and it is told as it is, when its owner is another',
    'setMirror: nothing is written, and it is told as it is, when it is the default campaign now',
    'setMirror: nothing is written when it was seen as the default campaign and is no longer',
  ],
  'loses the history': [
    'history: an update is recorded, in every column',
    'history: it outlives the mirror, the campaign and the key',
  ],
  'forgets the clicks': ['setMirror: clicks are never written'],
  'has a stale before': [race],
  'has one before for all of a chain': [race],
  'has one time for all of a chain': [race],
  'has times that do not rise': [
    'setMirror: updated_at strictly rises, also while the clock stands behind it',
  ],
  'loses the order of a chain': [race],
  'leaves the first of a chain': [race],
};

describe('the contract of CampaignRepository notices an adapter that', () => {
  for (const [breakage, adapter] of Object.entries(brokenInMemory)) {
    it(`${breakage}, in memory`, () => notices(breakage, inMemoryWorld(adapter)));
  }
  for (const [where, broken] of [
    ['in PostgreSQL', brokenInPostgres],
    ['in PostgreSQL, where updates go together', brokenTogether],
    ['in PostgreSQL, where several of one campaign go together', brokenInChains],
  ] as const) {
    for (const [breakage, options] of Object.entries(broken)) {
      it(`${breakage}, ${where}`, async () => {
        const database = await freshDatabase();
        await notices(breakage, await postgresWorld(database, options));
        await database.drop();
      });
    }
  }
});

async function notices(breakage: string, world: World): Promise<void> {
  const failed: string[] = [];
  for (const { name, check } of campaignRepositoryContract) {
    await check(world).catch(() => failed.push(name));
  }
  await world.close();
  expect(failed).to.include.members([...noticedBy[breakage as keyof typeof noticedBy]]);
  expect(failed, 'what is not broken').to.have.length.below(campaignRepositoryContract.length / 2);
}
