import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { projectFolder } from '../support/workspace.ts';
import { type Manifest, manifestIn, names, type Packed, packed } from './packed.ts';

const allowed =
  /^(?:src\/(?!.*\btests?\b).+\.(?:ts|sql)|dist\/.+\.(?:js|d\.ts)(?:\.map)?|(?:docs|ops-page)\/[\w.]+|README\.md|package\.json)$/;

describe('each tarball has what its users need, and nothing else', () => {
  let all: readonly Packed[];
  let root: Manifest;
  before(async () => {
    all = await packed();
    root = await manifestIn(projectFolder);
  });
  const packageOf = (name: string) =>
    all.find(({ manifest }) => manifest.name === `@campaign-mirror/${name}`) as Packed;

  it('an optional entry brings its dependencies as optional peers', () => {
    expect(all).to.have.length(names.length);
    expect(packageOf('adapters-http').manifest.dependencies).not.to.have.any.keys('swagger-ui-dist');
    // npm would install the newest version of each part of MikroORM, which may not fit together.
    const orm = ['core', 'migrations', 'postgresql'].map((name) => `@mikro-orm/${name}`);
    for (const { manifest } of [packageOf('adapters-persistence'), packageOf('app')]) {
      expect(manifest.dependencies).not.to.have.any.keys(...orm, 'swagger-ui-dist', 'inversify', 'koa');
      expect(manifest.peerDependenciesMeta).to.include.keys(...orm);
    }
  });

  for (const name of names)
    it(`${name} has its code, source and README, and a manifest that publint accepts`, async () => {
      const { file, files, manifest } = packageOf(name);
      expect(files).to.include.members(['src/index.ts', 'dist/index.js', 'dist/index.d.ts', 'README.md']);
      expect(files.filter((path) => !allowed.test(path))).to.deep.equal([]);

      const { version, license } = root;
      expect(manifest).to.include({ version, license });
      expect(manifest).not.to.have.any.keys('private', 'devDependencies', 'publishConfig', 'scripts');
      const { dependencies = {}, peerDependencies = {} } = manifest;
      const own = (versions: object) =>
        Object.entries(versions).filter(([other]) => other.startsWith('@campaign-mirror/'));
      // As a peer, because two copies would have two classes `Unavailable`.
      expect(own(dependencies)).to.be.empty;
      for (const [other, range] of own(peerDependencies)) expect(range, other).to.equal(`^${version}`);
      const source = await manifestIn(join(projectFolder, 'packages', name));
      expect(manifest.exports).to.have.keys(Object.keys(source.exports));

      const { buffer: tarball } = new Uint8Array(readFileSync(file));
      const { messages } = await publint({ strict: true, pack: { tarball } });
      expect(messages.map((message) => formatMessage(message, manifest))).to.deep.equal([]);
    });
});
