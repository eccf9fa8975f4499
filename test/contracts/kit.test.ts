import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';
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

type Planted = readonly [from: string, to: string];

/** Mistakes in the example on MikroORM: a part of the name of a case that notices it, and the changes of its text. */
const ormMistakes: Partial<
  Record<Mistake | 'makes no mistake: nothing', readonly [noticed: string, ...Planted[]]>
> = {
  'makes no mistake: nothing': ['at each step'],
  'checks the owner before it locks': ['the old owner wrote', ['{ id }, forShare', '{ id }']],
  'reads the address before ahead of the lock': ['updates of a campaign', [', forUpdate', '']],
  'writes clicks back from an earlier read': [
    'no click is lost',
    [', forUpdate', ''],
    [
      'await em.flush()',
      'await em.flush(); await em.nativeUpdate(Mirror, mirror.id, { clicks: mirror.clicks })',
    ],
  ],
  'takes the time before the lock': [
    'no click is lost',
    ['const campaign = await em', 'const early = await later(em, "2000-01-01"); const campaign = await em'],
    ['await later(em, mirror.updatedAt)', 'early'],
  ],
  'writes the history, then the mirror': [
    'mirror and its history',
    ['const recorded = em', 'const apart = em.fork(); const recorded = apart'],
    ['await em.flush()', 'await apart.flush(); await em.flush()'],
  ],
  'trusts the claim of a key': [
    'an unknown key',
    ["if (domain.accessKeyOf(change.by.subject)) return { kind: 'caller-invalid' };", ''],
  ],
  'throws what the driver throws': [
    'away: ',
    ['throw new domain.Unavailable', 'throw cause; new domain.Unavailable'],
  ],
};

/** The example with these changes of its text, on the packages of the workspace. */
async function exampleWith(planted: readonly Planted[], folder: string) {
  await cp(`${projectFolder}examples/mikro-orm`, folder, { recursive: true });
  await symlink(`${projectFolder}test/node_modules`, join(folder, 'node_modules'));
  let text = await readFile(join(folder, 'campaigns.ts'), 'utf8');
  for (const [from, to] of planted) {
    expect(text).to.include(from);
    text = text.replace(from, to);
  }
  await writeFile(join(folder, 'campaigns.ts'), text);
  const { openOrm } = await import(join(folder, 'entities.ts'));
  return { openOrm, ...(await import(join(folder, 'world.ts'))) };
}

describe('the kit of the contracts', () => {
  const noticing = new Set<string>();
  const folder = folderOf('suite');

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

  for (const [mistake, [noticed, ...planted]] of Object.entries(ormMistakes))
    it(`says what is wrong with the example on MikroORM if it ${mistake}`, async () => {
      const database = await emptyDatabase('owner');
      const { openOrm, worldsOf } = await exampleWith(planted, folder.at(mistake));
      const orm = await openOrm(database.url('owner'));
      try {
        const { campaigns } = await worldsOf(orm);
        await orm.schema.update();
        const cases = campaignRepositoryCases.filter(({ name }) => name.includes(noticed));
        const said = (await judge(cases, campaigns)).failed.map(({ name, error }) => `${name}: ${error}`);
        expect(said.join('\n')).to.match(planted.length > 0 ? mistakes[mistake as Mistake] : /^$/);
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
