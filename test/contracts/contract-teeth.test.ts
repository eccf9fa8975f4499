import { expect } from 'chai';
import {
  type Breakage,
  type BreakageOfChains,
  type BreakageTogether,
  brokenInChains,
  brokenInMemory,
  brokenInPostgres,
  brokenTogether,
} from '../support/broken-campaigns.ts';
import { campaignRepositoryContract } from '../support/campaign-repository-contract.ts';
import { freshDatabase } from '../support/database-server.ts';
import { inMemoryWorld } from '../support/in-memory-world.ts';
import { type PostgresWorldOptions, postgresWorld } from '../support/postgres-world.ts';
import type { World } from '../support/world.ts';

const race = 'history: 20 racing updates all succeed and make one unbroken chain, whose last stands';

/** Every check that has to notice, and no other. */
const noticedBy: Record<Breakage, readonly string[]> = {
  'writes blindly': [
    'setMirror: nothing is written when its owner is another',
    'setMirror: nothing is written when it is the default campaign now',
    'setMirror: nothing is written when it was seen as the default campaign and is no longer',
  ],
  'loses the history': [
    'setMirror: a mirror that was deleted and created again is the one that is set',
    'setMirror: the address is kept byte for byte, here and in the history',
    'setMirror: the address that it already has is an update like any other',
    'history: an update is recorded, in every column',
    'history: updates one after the other make one chain',
    race,
    'history: it outlives the mirror, the campaign and the key',
    'history: what was recorded stays as it was when the campaign changes hands',
  ],
  'forgets the clicks': [
    'setMirror: clicks counted and an address set since it was seen are no reason to refuse',
    'setMirror: clicks are never written',
  ],
  'has a stale before': [race],
};

const noticedInChains: Record<BreakageOfChains, readonly string[]> = {
  'writes blindly': noticedBy['writes blindly'],
  'loses the history': noticedBy['loses the history'],
  'forgets the clicks': [
    'setMirror: clicks counted and an address set since it was seen are no reason to refuse',
    'setMirror: the answer is the mirror as it is stored, of the eight fields of the specification',
    'setMirror: clicks are never written',
  ],
  'has one before for all of a chain': [race],
  'has one time for all of a chain': [race],
  'has times that do not rise': [
    'setMirror: updated_at strictly rises, also while the clock stands behind it',
  ],
  'loses the order of a chain': ['history: racing updates are recorded in the order of their times'],
  'leaves the first of a chain': [race],
};

/** Racing updates of one campaign make a chain, which another statement sets. */
const { 'loses the history': lost, ...others } = noticedInChains;
const noticedTogether: Record<BreakageTogether, readonly string[]> = {
  'writes blindly': others['writes blindly'],
  'loses the history': lost.filter((check) => check !== race),
  'forgets the clicks': others['forgets the clicks'],
  'has times that do not rise': others['has times that do not rise'],
};

describe('the contract of CampaignRepository notices an adapter that', () => {
  for (const breakage of Object.keys(noticedBy) as Breakage[]) {
    it(`${breakage}, in memory`, async () => {
      expect(await failures(inMemoryWorld(brokenInMemory[breakage]))).to.deep.equal(noticedBy[breakage]);
    });

    it(`${breakage}, in PostgreSQL`, async () => {
      expect(await failuresInPostgres(brokenInPostgres[breakage])).to.deep.equal(noticedBy[breakage]);
    });
  }

  for (const breakage of Object.keys(noticedTogether) as BreakageTogether[]) {
    it(`${breakage}, in PostgreSQL, where updates go together`, async () => {
      const failed = await failuresInPostgres(brokenTogether[breakage]);
      expect(failed).to.deep.equal(noticedTogether[breakage]);
    });
  }

  for (const breakage of Object.keys(noticedInChains) as BreakageOfChains[]) {
    it(`${breakage}, in PostgreSQL, where several of one campaign go together`, async () => {
      const failed = await failuresInPostgres(brokenInChains[breakage]);
      expect(failed).to.deep.equal(noticedInChains[breakage]);
    });
  }
});

async function failuresInPostgres(broken: PostgresWorldOptions): Promise<string[]> {
  const database = await freshDatabase();
  const failed = await failures(await postgresWorld(database, broken));
  await database.drop();
  return failed;
}

async function failures(world: World): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, check } of campaignRepositoryContract) {
    try {
      await check(world);
    } catch {
      failed.push(name);
    }
  }
  await world.close();
  return failed;
}
