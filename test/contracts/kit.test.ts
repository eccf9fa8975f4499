import {
  brokenIdentities,
  brokenRepositories,
  type CampaignRepositoryWorld,
  ContractViolation,
  campaignRepositoryCases,
  expectEqual,
  identityCases,
  judge,
} from '@campaign-mirror/domain/contracts';
import { expect } from 'chai';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';

describe('the kit of the contracts', () => {
  it('names each case once, and passes the reference adapters', async () => {
    const { campaigns, identity } = inMemoryWorlds();
    const judgements = [
      await judge(campaignRepositoryCases, campaigns),
      await judge(identityCases, identity),
    ];
    for (const { failed, notApplicable } of judgements)
      expect({ failed, notApplicable }).to.deep.equal({ failed: [], notApplicable: [] });
    const passed = judgements.flatMap((one) => one.passed);
    expect([...new Set(passed)]).to.deep.equal(passed);
  });

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

  it('lists what is not applicable, and runs it no more than it passes it', async () => {
    const { keys, others, ...world } = inMemoryWorlds().campaigns;
    const { clock, atOnce, ...least } = others;
    const keyless: CampaignRepositoryWorld = { ...world, others: least };
    const { passed, failed, notApplicable } = await judge(campaignRepositoryCases, keyless);
    expect(failed).to.deep.equal([]);
    expect(notApplicable).to.have.length(5);
    expect(passed).to.have.length(campaignRepositoryCases.length - notApplicable.length);
    for (const { name, run } of campaignRepositoryCases.filter((one) => notApplicable.includes(one.name))) {
      const error = await run(keyless).catch((thrown: unknown) => thrown);
      expect(error, name)
        .to.be.instanceOf(ContractViolation)
        .with.property('message')
        .that.includes("'keys'");
    }
  });

  it('needs of an identity only that it issues credentials', async () => {
    const { identity, issue, unknown } = inMemoryWorlds().identity;
    const forgetful = { ...identity, claimedBy: async () => undefined };
    const whoIs = (credential: string) => identity.whoIs(credential);
    const { failed, notApplicable } = await judge(identityCases, {
      identity: { ...forgetful, whoIs },
      issue,
      unknown,
    });
    expect(failed).to.deep.equal([]);
    expect(notApplicable).to.have.length(6);
  });

  const unequal: [actual: unknown, expected: unknown, message: string][] = [
    [1, 2, 'the value is not as expected:\n  expected: 2\n  but got:  1'],
    [undefined, null, 'the value is not as expected:\n  expected: null\n  but got:  undefined'],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 'the value.a.b.1 is not as expected:'],
    [{ a: 1, b: 2 }, { a: 1 }, 'the value.b is not as expected:'],
    [{ a: undefined }, {}, 'but got:  {"a":"undefined"}'],
    [[], {}, 'but got:  []'],
    [[1], [1, 2], 'the value.1 is not as expected:'],
    [[{ a: Number.NaN }], 0, 'but got:  [{"a":"NaN"}]'],
    [1n, 1, 'but got:  1n'],
    [new Date(0), '1970', 'expected: "1970"'],
  ];
  it('a difference says where it is; equal values are equal, whatever their prototypes', () => {
    for (const [actual, expected, message] of unequal)
      expect(() => expectEqual(actual, expected)).to.throw(ContractViolation, message);
    const value = { a: [1, { b: Number.NaN }] };
    expectEqual(value, Object.assign(Object.create(null), structuredClone(value)));
  });
});
