import {
  brokenIdentities,
  brokenRepositories,
  type CampaignRepositoryWorld,
  ContractViolation,
  campaignRepositoryCases,
  identityCases,
  judge,
} from '@campaign-mirror/domain/contracts';
import { expect } from 'chai';
import { rejection } from '../support/promises.ts';
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
    const cases = [...campaignRepositoryCases, ...identityCases].map(({ name }) => name);
    expect([...noticing]).to.have.members(cases);
  });

  it('lists what is not applicable, and runs it no more than it passes it', async () => {
    const { campaigns, others: whole } = inMemoryWorlds().campaigns;
    const { clock, atOnce, ...others } = whole;
    const keyless: CampaignRepositoryWorld = { campaigns, others };
    const { failed, notApplicable } = await judge(campaignRepositoryCases, keyless);
    expect([failed, notApplicable.length]).to.deep.equal([[], 5]);
    for (const { run } of campaignRepositoryCases.filter(({ name }) => notApplicable.includes(name)))
      expect(await rejection(run(keyless)))
        .to.be.instanceOf(ContractViolation)
        .with.property('message')
        .that.includes("'keys'");
  });
});
