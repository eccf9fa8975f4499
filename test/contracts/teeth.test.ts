import {
  brokenIdentities,
  brokenRepositories,
  campaignRepositoryCases,
  identityCases,
  judge,
} from '@campaign-mirror/domain/contracts';
import { expect } from 'chai';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';

describe('the kit of the contracts', () => {
  it('notices each adapter that is broken on purpose, and by each case one of them', async () => {
    const noticing = new Set<string>();
    const judgements = [
      ...brokenRepositories.map(({ broken }) =>
        judge(campaignRepositoryCases, broken(inMemoryWorlds().campaigns)),
      ),
      ...brokenIdentities.map(({ broken }) => judge(identityCases, broken(inMemoryWorlds().identity))),
    ];
    for (const { passed, failed } of await Promise.all(judgements)) {
      expect(failed).not.to.deep.equal([]);
      expect(passed, 'what is not broken').not.to.deep.equal([]);
      for (const { name } of failed) noticing.add(name);
    }
    expect([...noticing]).to.have.members(
      [...campaignRepositoryCases, ...identityCases].map(({ name }) => name),
    );
  });
});
