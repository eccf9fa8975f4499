import {
  brokenIdentities,
  brokenRepositories,
  type CampaignRepositoryWorld,
  type Case,
  campaignRepositoryCases,
  identityCases,
  judge,
} from '@campaign-mirror/domain/contracts';
import { expect } from 'chai';
import { freshDatabase } from '../support/database/database-server.ts';
import { brokenInChains, brokenInPostgres, brokenTogether } from '../support/store/broken-campaigns.ts';
import { campaignRepositoryWorldOf } from '../support/store/contract-worlds.ts';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';

const race = 'history: 20 racing updates all succeed and make one unbroken chain, whose last is stored';
const rises = 'setMirror: updated_at strictly rises, also while the clock is behind it';

/** Cases that have to notice; others may, too. */
const noticedBy: Readonly<Record<string, readonly string[]>> = {
  'trusts the claim': [
    'setMirror: nothing is written, and nothing is said about the campaign, when the key is revoked',
    'setMirror: nothing is written, and nothing is said about the campaign, when the key has expired',
  ],
  'writes blindly': [
    'setMirror: nothing is written, and its present state is returned, when its owner is another',
    'setMirror: nothing is written, and its present state is returned, when it is the default campaign now',
    'setMirror: nothing is written when it was seen as the default campaign and no longer is',
  ],
  'returns stale facts': [
    'setMirror: nothing is written, and its present state is returned, when its owner is another',
    'setMirror: nothing is written, and its present state is returned, when it is deleted',
  ],
  'finds what it found before': ['find: a campaign with a mirror, as it is now'],
  'finds what it hopes for': [
    'find: a default campaign, and one without a mirror',
    'find: nothing for a campaign that never existed or was deleted',
  ],
  'rounds the owner': ['find: an owner may be as great as 2^53-1'],
  'creates a missing mirror': [
    'setMirror: nothing is written when it was seen without a mirror and has none',
  ],
  'sets all mirrors of the owner': ['setMirror: no other campaign, of the same owner or another, is changed'],
  'changes the address': ['setMirror: the address is kept byte for byte, in the mirror and in the history'],
  'loses the history': [
    'history: an update is recorded, in every column',
    'history: it is kept after the mirror, the campaign and the key are deleted',
  ],
  'forgets the clicks': ['setMirror: clicks are never written'],
  'has a stale before': [race],
  'has one before for all of a chain': [race],
  'has one time for all of a chain': [race],
  'has times that do not rise': [rises],
  'loses the order of a chain': [race],
  'leaves the first of a chain': [race],
};

const identityNoticedBy: typeof noticedBy = {
  'knows everybody': ['whoIs: nobody for a well-formed credential that was never issued'],
  'passes callers off as the operator': ['whoIs: a subject with a name, which is never the operator'],
  'takes all for one': ['whoIs: the owner that the credential was issued to, and which credential it is'],
  'never forgets a caller': [
    'whoIs: a credential that expires works until then, and not from that moment on',
    'whoIs: nobody for a revoked credential, at once, whether it expires later or never',
  ],
  'confuses claims': [
    'claimedBy: the caller or nobody, before and after the caller was found',
    'claimedBy: the caller, once it was found',
  ],
  'never forgets a claim': ['claimedBy: nobody any more, once the credential was found to be invalid'],
  'throws for what is unknown': ['whoIs: nobody for a well-formed credential that was never issued'],
};

describe('the cases of CampaignRepository notice an adapter that', () => {
  for (const { name, broken } of brokenRepositories) {
    it(`${name}, in memory`, () => notice(name, broken(inMemoryWorlds().campaigns)));
  }
  for (const [where, broken] of [
    ['in PostgreSQL', brokenInPostgres],
    ['in PostgreSQL, where updates go together', brokenTogether],
    ['in PostgreSQL, where several of one campaign go together', brokenInChains],
  ] as const) {
    for (const [breakage, options] of Object.entries(broken)) {
      it(`${breakage}, ${where}`, async () => {
        const database = await freshDatabase();
        const world = await postgresWorld(database, options);
        await notice(breakage, campaignRepositoryWorldOf(world)).finally(() => world.close());
        await database.drop();
      });
    }
  }

  const notice = async (breakage: string, world: CampaignRepositoryWorld) => {
    const failed = await failures(campaignRepositoryCases, world, noticedBy[breakage]);
    expect(failed, 'what is not broken').to.have.length.below(campaignRepositoryCases.length / 2);
  };
});

describe('the cases of Identity notice an adapter that', () => {
  for (const { name, broken } of brokenIdentities) {
    it(name, async () => {
      const world = broken(inMemoryWorlds().identity);
      const failed = await failures(identityCases, world, identityNoticedBy[name]);
      expect(failed, 'what is not broken').to.have.length.below(identityCases.length);
    });
  }
});

describe('each case of the contracts', () => {
  it('fails an adapter that is broken on purpose', async () => {
    const failed = new Set<string>();
    for (const { broken } of brokenRepositories) {
      const world = broken(inMemoryWorlds().campaigns);
      for (const { name } of (await judge(campaignRepositoryCases, world)).failed) failed.add(name);
    }
    for (const { broken } of brokenIdentities) {
      const world = broken(inMemoryWorlds().identity);
      for (const { name } of (await judge(identityCases, world)).failed) failed.add(name);
    }
    const all = [...campaignRepositoryCases, ...identityCases].map(({ name }) => name);
    expect(all.filter((name) => !failed.has(name))).to.deep.equal([]);
  });
});

async function failures<World>(cases: readonly Case<World>[], world: World, known?: readonly string[]) {
  const { failed, notApplicable } = await judge(cases, world);
  expect(notApplicable).to.deep.equal([]);
  if (!known) throw new Error('which cases have to notice is not said');
  const names = failed.map(({ name }) => name);
  expect(names).to.include.members([...known]);
  return names;
}
