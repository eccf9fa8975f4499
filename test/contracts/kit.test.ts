import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { inMemoryWorlds } from '../support/store/judged-store.ts';
import { projectFolder } from '../support/workspace.ts';
import { identities, repositories } from './broken-adapters.ts';

/** Runs the cases in their order, without a test runner. Resolves with those that fail. */
async function judge<World>(cases: readonly Case<World>[], world: World) {
  const failed: { name: string; error: unknown }[] = [];
  for (const one of cases.filter((one) => !missing(one, world)))
    await one.run(world).catch((error) => failed.push({ name: one.name, error }));
  return failed;
}

/** What the cases say of each broken adapter. */
const repositoryFaults: Record<keyof typeof repositories, readonly RegExp[]> = {
  'judges and writes what it read before a pause': [
    /a campaign was found as before a committed transfer/,
    /the old owner wrote after a committed transfer/,
    /default campaign was set after the flag was committed/,
    /a mirror was written after its deletion was committed/,
    /written after the deletion of the campaign was committed/,
    /a click was lost/,
    /the address before was read ahead of the lock/,
    /a mirror changed, but not its history/,
    /another mirror was set than the answer names/,
    /a condition held for more than one of 10/,
  ],
  'stores something else than it was given': [
    /what there never was/,
    /otherwise than it is: ContractViolation: the answer/,
    /in every field: ContractViolation: the history.*requestId/s,
    /the address is not as expected/,
    /the times of three updates/,
    /the time of a write, \S+, is not between/,
  ],
  'trusts whoever calls': [
    /a caller without a key .*: ContractViolation: the history/,
    /with a key that is not valid: ContractViolation: the answer/,
    /a key set a mirror after its revocation was committed/,
    /a condition that does not hold/,
    /the last change was forgotten/,
    /the history of what was deleted/,
    /the answer to one of many/,
    /an error of the driver was thrown as it is/,
  ],
};
const identityFaults: Record<keyof typeof identities, readonly RegExp[]> = {
  'never forgets a caller': [
    /the caller who was found.*toProve/s,
    /'expire' on.*: a credential was accepted/,
    /'revoke' on.*: a credential was accepted/,
    /'forget' on.*: a credential was accepted/,
    /a credential was accepted after its revocation was committed/,
  ],
  'takes one caller for another': [
    /the caller is not as expected.*ownerId/s,
    /who was found by calls at the same time/,
    /a text that is none: .*a credential was accepted/,
    /expired when it was issued: .*a credential was accepted/,
    /an error has the credential in it/,
  ],
};

/** Many cases come in pairs: a change at any moment, which chance may miss, and one ahead of each step. */
const promiseOf = (name: string) => name.replace(/^(?:meanwhile|at each step): /, '');

describe('the kit of the contracts', () => {
  const noticing = new Set<string>();
  const folders = folderOf('suite');

  async function expectNoticed<World>(
    cases: readonly Case<World>[],
    world: World,
    faults: readonly RegExp[],
  ) {
    const failed = await judge(cases, world);
    for (const { name } of failed) noticing.add(promiseOf(name));
    const said = failed.map(({ name, error }) => `${name}: ${error}`).join('\n');
    for (const fault of faults) expect(said).to.match(fault);
  }

  for (const [what, world] of Object.entries(repositories))
    it(`says what is wrong with a repository that ${what}`, () =>
      expectNoticed(campaignRepositoryCases, world(), repositoryFaults[what as keyof typeof repositories]));

  for (const [what, world] of Object.entries(identities))
    it(`says what is wrong with an identity that ${what}`, () =>
      expectNoticed(identityCases, world(), identityFaults[what as keyof typeof identities]));

  it('has no case that notices nothing', () => {
    const cases = [...campaignRepositoryCases, ...identityCases].map(({ name }) => promiseOf(name));
    expect([...noticing]).to.have.members([...new Set(cases)]);
  });

  it('passes the example on MikroORM, whatever changes at each step', async () => {
    const folder = folders.at('example');
    await cp(`${projectFolder}examples/mikro-orm`, folder, { recursive: true });
    await symlink(`${projectFolder}test/node_modules`, join(folder, 'node_modules'));
    const { openOrm } = await import(join(folder, 'entities.ts'));
    const { worldsOf } = await import(join(folder, 'world.ts'));
    const database = await emptyDatabase('owner');
    const orm = await openOrm(database.url('owner'));
    try {
      const { campaigns } = await worldsOf(orm);
      await orm.schema.update();
      const cases = campaignRepositoryCases.filter(({ name }) => name.includes('at each step'));
      const failed = await judge(cases, campaigns);
      expect(failed).to.deep.equal([]);
      expect(cases).not.to.deep.equal([]);
    } finally {
      await orm.close();
      await database.drop();
    }
  });

  it('refuses a world without a step in its calls', async () => {
    const { campaigns } = inMemoryWorlds();
    const failed = await judge(campaignRepositoryCases, { ...campaigns, steps: (call) => call() });
    expect(failed.map(({ name }) => name.split(':')[0])).to.include.members(['at each step', 'away']);
  });

  it('takes a store without keys or a clock', async () => {
    const { campaigns, others: whole } = inMemoryWorlds().campaigns;
    const { clock, ...others } = whole;
    expect(await judge(campaignRepositoryCases, { campaigns, others })).to.deep.equal([]);
  });
});
