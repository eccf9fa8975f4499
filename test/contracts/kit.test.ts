import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { identities, repositories } from './broken-adapters.ts';

/** Runs the cases that are applicable. Resolves with those that fail. */
async function judge<World>(cases: readonly Case<World>[], world: World) {
  const failed: { name: string; error: unknown }[] = [];
  for (const one of cases)
    if (!missing(one, world)) await one.run(world).catch((error) => failed.push({ name: one.name, error }));
  return failed;
}

/** What the cases report for each broken adapter. */
const repositoryFaults: Record<keyof typeof repositories, readonly RegExp[]> = {
  'judges and writes what it read before a pause': [
    /a campaign after committed changes/,
    /the old owner wrote after a committed transfer/,
    /the default campaign was set after its flag was committed/,
    /a mirror was written after its deletion was committed/,
    /a mirror was written after the deletion of its campaign was committed/,
    /a click was lost/,
    /a mirror that was deleted came back/,
    /the address before was read ahead of the lock/,
    /a condition held for more than one of 10/,
  ],
  'stores something else than it was given': [
    /a campaign that does not exist/,
    /byte for byte.*the stored mirror is not as expected/s,
    /byte for byte.*9007199254740991/s,
    /the times of updates while the clock is behind/,
    /at the same time.*the history of the answer.*id/s,
    /the answer to a key that has expired/,
    /an error of the driver was thrown unchanged/,
  ],
  'trusts whoever calls': [
    /the condition does not match: ContractViolation: the answer to/,
    /the answer to a revoked key/,
    /a key set a mirror after its revocation was committed/,
    /the answer to another number/,
    /the history of the answer|a change was reported, but/,
    /a change was written twice/,
    /a mirror changed, but not its history/,
    /the facts of a campaign were read at two moments/,
  ],
};
const identityFaults: Record<keyof typeof identities, readonly RegExp[]> = {
  'never forgets': [
    /after its revocation was committed.*an invalid credential was accepted/,
    /an unknown credential was remembered/,
    /expired by itself: .*an invalid credential was accepted/,
  ],
  'takes one caller for another': [
    /the result of calls at the same time is not as expected.*ownerId/s,
    /a malformed text: .*an invalid credential was accepted/,
    /an error has the credential in it/,
  ],
};

describe('the contract cases', () => {
  const noticing = new Set<string>();

  async function expectNoticed<World>(
    cases: readonly Case<World>[],
    world: World,
    faults: readonly RegExp[],
  ) {
    const failed = await judge(cases, world);
    for (const { name } of failed) noticing.add(name);
    const said = failed.map(({ name, error }) => `${name}: ${error}`).join('\n');
    for (const fault of faults) expect(said).to.match(fault);
  }

  for (const [what, world] of Object.entries(repositories))
    it(`report a repository that ${what}`, () =>
      expectNoticed(campaignRepositoryCases, world(), repositoryFaults[what as keyof typeof repositories]));

  for (const [what, world] of Object.entries(identities))
    it(`report an identity that ${what}`, () =>
      expectNoticed(identityCases, world(), identityFaults[what as keyof typeof identities]));

  it('each report at least one broken adapter', () => {
    const cases = [...campaignRepositoryCases, ...identityCases].map(({ name }) => name);
    expect([...noticing]).to.have.members(cases);
  });
});
