import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { inMemoryWorlds } from '../support/store/judged-store.ts';
import { projectFolder } from '../support/workspace.ts';
import { brokenIdentities, pausedIdentity } from './broken-identities.ts';
import { type Mistake, mistakes, pausedWorld } from './broken-repositories.ts';

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
  const folders = folderOf('suite');

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
      const { passed, failed } = await judge(cases, campaigns);
      expect(failed).to.deep.equal([]);
      expect(passed).not.to.deep.equal([]);
    } finally {
      await orm.close();
      await database.drop();
    }
  });

  it('refuses a world without a step in its calls', async () => {
    const { failed } = await judge(campaignRepositoryCases, { ...pausedWorld(), steps: (call) => call() });
    expect(failed.map(({ name }) => name.split(':')[0])).to.include.members(['at each step', 'away']);
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
