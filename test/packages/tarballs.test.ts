import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { projectFolder } from '../support/workspace.ts';
import { type Manifest, manifestIn, names, type Packed, packed } from './packed.ts';

const allowed =
  /^(?:src\/(?!.*\btests?\b).+\.(?:ts|sql)|dist\/.+\.(?:js|d\.ts)(?:\.map)?|(?:docs|ops-page)\/[\w.]+|README\.md|package\.json)$/;

describe('what leaves the workspace', () => {
  let all: readonly Packed[];
  let root: Manifest;
  before(async () => {
    all = await packed();
    root = await manifestIn(projectFolder);
  });

  it('are these packages, of one version, licence and range of Node', () => {
    expect(all.map(({ manifest }) => manifest.name)).to.have.members(
      names.map((name) => `@campaign-mirror/${name}`),
    );
    const { version, license } = root;
    const engines = all[0]?.manifest.engines;
    for (const { manifest } of all) expect(manifest).to.deep.include({ version, license, engines });
  });

  it('bring nothing that only one of their entries needs', () => {
    const brought = (name: string) => all.find((one) => one.manifest.name.endsWith(`/${name}`))?.manifest;
    expect(brought('adapters-http')?.dependencies).not.to.have.any.keys('swagger-ui-dist');
    // npm would take the newest version of each part, which do not fit if a release is incomplete.
    const orm = ['core', 'migrations', 'postgresql'].map((name) => `@mikro-orm/${name}`);
    for (const manifest of [brought('adapters-persistence'), brought('app')]) {
      expect(manifest?.dependencies).not.to.have.any.keys(...orm);
      expect(manifest?.peerDependenciesMeta).to.include.keys(...orm);
    }
    expect(brought('app')?.dependencies).not.to.have.any.keys('swagger-ui-dist', 'inversify', 'koa');
  });

  for (const name of names)
    it(`${name} holds what was built, its source and README, and a manifest that is right for others`, async () => {
      const { file, files, manifest } = all.find(
        (one) => one.manifest.name === `@campaign-mirror/${name}`,
      ) as Packed;
      expect(files).to.include.members(['src/index.ts', 'dist/index.js', 'dist/index.d.ts', 'README.md']);
      expect(files.filter((path) => !allowed.test(path))).to.deep.equal([]);

      expect(manifest).not.to.have.any.keys('private', 'devDependencies', 'publishConfig', 'scripts');
      const { dependencies = {}, peerDependencies = {} } = manifest;
      const ofOurs = (versions: object) =>
        Object.entries(versions).filter(([other]) => other.startsWith('@campaign-mirror/'));
      // Two copies of it would have two `Unavailable`.
      expect(ofOurs(dependencies)).to.be.empty;
      for (const [other, range] of ofOurs(peerDependencies))
        expect(range, other).to.equal(`^${root.version}`);
      const source = await manifestIn(join(projectFolder, 'packages', name));
      expect(manifest.exports).to.have.keys(Object.keys(source.exports));

      const { buffer: tarball } = new Uint8Array(readFileSync(file));
      const { messages } = await publint({ strict: true, pack: { tarball } });
      expect(messages.map((message) => formatMessage(message, manifest))).to.deep.equal([]);
    });
});
