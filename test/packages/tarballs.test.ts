import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { projectFolder } from '../support/workspace.ts';
import { type Manifest, manifestIn, names, type Packed, packed, run } from './packed.ts';

describe('what leaves the workspace', function () {
  this.timeout(120_000);
  let all: readonly Packed[];
  let root: Manifest;
  before(async () => {
    all = await packed();
    root = await manifestIn(projectFolder);
  });

  it('is six packages of one version, licence and range of Node, in the place of older tarballs', () => {
    expect(all.map(({ manifest }) => manifest.name)).to.have.members(
      names.map((name) => `@campaign-mirror/${name}`),
    );
    const { version, license } = root;
    const engines = all[0]?.manifest.engines;
    for (const { manifest } of all) expect(manifest).to.deep.include({ version, license, engines });
    const files = all.map(({ file }) => basename(file));
    expect(readdirSync(dirname(all[0]?.file ?? ''))).to.have.members(['notes.txt', ...files]);
  });

  it('goes out as tarballs only: npm publishes no folder of ours', () => {
    const manifests = globSync('{,packages/*/}package.json', { cwd: projectFolder });
    expect(manifests).to.have.length(8);
    for (const path of manifests)
      expect(JSON.parse(readFileSync(join(projectFolder, path), 'utf8')), path).to.include({ private: true });
  });

  for (const name of names)
    describe(name, () => {
      let one: Packed;
      before(() => {
        one = all.find(({ manifest }) => manifest.name === `@campaign-mirror/${name}`) as Packed;
      });

      it('holds what was built, its source and its README, nothing else', () => {
        const sources = one.files.filter((file) => file.startsWith('src/'));
        expect(sources).to.include('src/index.ts');
        const built = sources.flatMap((file) =>
          ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((end) =>
            file.replace(/^src(.*)\.ts$/, `dist$1${end}`),
          ),
        );
        const pages = one.files.filter((file) => name === 'adapters-http' && /^docs\/[\w.]+$/.test(file));
        const licence = one.files.filter((file) => /^LICEN[CS]E(\.\w+)?$/.test(file));
        const others = [...pages, ...licence, 'README.md', 'package.json'];
        expect(one.files).to.have.members([...built, ...sources, ...others]);
        expect(one.files.filter((file) => /\btests?\b/.test(file))).to.deep.equal([]);
      });

      it('has a manifest for others: not private, real versions, every entry there', async () => {
        const { manifest, files } = one;
        expect(manifest).not.to.have.any.keys('private', 'devDependencies', 'publishConfig', 'scripts');
        expect(JSON.stringify(manifest)).not.to.include('workspace:');
        const { dependencies = {}, peerDependencies = {} } = manifest;
        const isOurs = (other: string) => other.startsWith('@campaign-mirror/');
        // Two copies of it would have two `Unavailable`.
        expect(Object.keys(dependencies).filter(isOurs)).to.be.empty;
        for (const other of Object.keys(peerDependencies).filter(isOurs))
          expect(peerDependencies[other]).to.equal(`^${root.version}`);
        const source = await manifestIn(join(projectFolder, 'packages', name));
        expect(manifest.exports).to.have.keys(Object.keys(source.exports));
        for (const [entry, file] of Object.entries(source.exports)) {
          const built = String(file).replace('./src/', './dist/').replace('.ts', '');
          expect(manifest.exports[entry]).to.deep.equal({ types: `${built}.d.ts`, default: `${built}.js` });
          expect(files).to.include(`${built.slice(2)}.js`);
        }
      });

      it('publint has nothing to say; the types are not wrong, for ESM', async () => {
        const { file, manifest } = one;
        const { buffer: tarball } = new Uint8Array(readFileSync(file));
        const { messages } = await publint({ strict: true, pack: { tarball } });
        expect(messages.map((message) => formatMessage(message, manifest))).to.deep.equal([]);
        const words = [file, '--profile', 'esm-only', '--quiet'];
        await run('test/node_modules/.bin/attw', words, { cwd: projectFolder });
      });
    });
});
