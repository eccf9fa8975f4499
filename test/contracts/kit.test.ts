import {
  type CampaignRepositoryWorld,
  ContractViolation,
  campaignRepositoryCases,
  expectEqual,
  identityCases,
  judge,
} from '@campaign-mirror/domain/contracts';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
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

  it('lists what is not applicable, and runs it no more than it passes it', async () => {
    const { campaigns: whole, identity: known } = inMemoryWorlds();
    const { clock, atOnce, ...others } = whole.others;
    const keyless: CampaignRepositoryWorld = { campaigns: whole.campaigns, others };
    const { failed, notApplicable } = await judge(campaignRepositoryCases, keyless);
    expect([failed, notApplicable.length]).to.deep.equal([[], 5]);
    for (const { run } of campaignRepositoryCases.filter(({ name }) => notApplicable.includes(name)))
      expect(await rejection(run(keyless)))
        .to.be.instanceOf(ContractViolation)
        .with.property('message')
        .that.includes("'keys'");
    const { issue, unknown } = known;
    const whoIs = (credential: string) => known.identity.whoIs(credential);
    const forgetful = { identity: { whoIs, claimedBy: async () => undefined }, issue, unknown };
    const judgement = await judge(identityCases, forgetful);
    expect([judgement.failed, judgement.notApplicable.length]).to.deep.equal([[], 6]);
  });

  const unequal: [actual: unknown, expected: unknown, message: string][] = [
    [1, 2, 'the value is not as expected:\n  expected: 2\n  but got:  1'],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, 'the value.a.b.1 is not as expected:'],
    [{ a: undefined }, {}, 'but got:  {"a":"undefined"}'],
    [[{ a: Number.NaN }], 0, 'but got:  [{"a":"NaN"}]'],
    [1n, 1, 'but got:  1n'],
  ];
  it('a difference says where it is; equal values are equal, whatever their prototypes', () => {
    for (const [actual, expected, message] of unequal)
      expect(() => expectEqual(actual, expected)).to.throw(ContractViolation, message);
    const value = { a: [1, { b: Number.NaN }] };
    expectEqual(value, Object.assign(Object.create(null), structuredClone(value)));
  });
});
