import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { freshDatabase } from '../support/database/database-server.ts';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';
import { brokenIdentities, pausedIdentity } from './broken-identities.ts';
import { type Mistake, mistakes, pausedWorld } from './broken-repositories.ts';
import { ormMistakes, ormWorld } from './mikro-orm-campaigns.ts';

/** Runs the cases in their order, without a test runner. */
async function judge<World>(cases: readonly Case<World>[], world: World) {
  const passed: string[] = [];
  const failed: { name: string; error: unknown }[] = [];
  const applicable = cases.filter((one) => !missing(one, world));
  for (const { name, run } of applicable)
    await run(world).then(
      () => passed.push(name),
      (error) => failed.push({ name, error }),
    );
  const notApplicable = cases.filter((one) => missing(one, world)).map(({ name }) => name);
  return { passed, failed, notApplicable };
}

describe('the kit of the contracts', () => {
  const noticing = new Set<string>();

  it('passes adapters that are right, however they pause', async () => {
    const judgements = [
      judge(campaignRepositoryCases, pausedWorld()),
      judge(identityCases, pausedIdentity()),
    ];
    for (const { failed, notApplicable } of await Promise.all(judgements))
      expect([failed, notApplicable]).to.deep.equal([[], []]);
  });

  for (const [mistake, fault] of Object.entries(mistakes))
    it(`says what is wrong with an adapter that ${mistake}`, async () => {
      const { passed, failed } = await judge(campaignRepositoryCases, pausedWorld(mistake as Mistake));
      for (const { name } of failed) noticing.add(name);
      const said = failed.map(({ name, error }) => `${name}: ${error}`);
      expect(said.join('\n')).to.match(fault);
      expect(passed, 'what is not broken').not.to.deep.equal([]);
    });

  for (const [mistake, breakage] of Object.entries(brokenIdentities))
    it(`notices an identity that ${mistake}`, async () => {
      const { passed, failed } = await judge(identityCases, pausedIdentity(breakage));
      for (const { name } of failed) noticing.add(name);
      expect(failed).not.to.deep.equal([]);
      expect(passed, 'what is not broken').not.to.deep.equal([]);
    });

  for (const [mistake, noticed] of [[undefined, 'meanwhile'], ...Object.entries(ormMistakes)] as const)
    it(`says what is wrong with an adapter on MikroORM that ${mistake ?? 'makes no mistake: nothing'}`, async () => {
      const database = await freshDatabase();
      const { world, close } = await ormWorld(database, mistake as Mistake | undefined);
      try {
        const cases = campaignRepositoryCases.filter(({ name }) => name.includes(noticed));
        const { failed, notApplicable } = await judge(cases, world);
        expect(notApplicable).to.deep.equal([]);
        const said = failed.map(({ name, error }) => `${name}: ${error}`);
        expect(said.join('\n')).to.match(mistake ? mistakes[mistake as Mistake] : /^$/);
      } finally {
        await close();
        await database.drop();
      }
    });

  it('has no case that notices nothing', () => {
    const cases = [...campaignRepositoryCases, ...identityCases].map(({ name }) => name);
    expect([...noticing]).to.have.members(cases);
  });

  it('takes a store without keys or a clock', async () => {
    const { campaigns, others: whole } = inMemoryWorlds().campaigns;
    const { clock, ...others } = whole;
    expect((await judge(campaignRepositoryCases, { campaigns, others })).failed).to.deep.equal([]);
  });
});
