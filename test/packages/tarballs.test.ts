import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rejection } from '../support/faults.ts';
import { projectFolder } from '../support/workspace.ts';
import { type Manifest, manifestIn, type Packed, packed, run } from './packed.ts';

const names = [
  'adapters-cli',
  'adapters-http',
  'adapters-jwt',
  'adapters-persistence',
  'domain',
  'embedded-postgres',
];
const attw = join(projectFolder, 'test/node_modules/.bin/attw');

describe('what leaves the workspace', function () {
  this.timeout(120_000);
  let all: readonly Packed[];
  let root: Manifest;
  let recipient: Awaited<ReturnType<typeof emptyRegistry>>;
  before(async () => {
    all = await packed();
    root = await manifestIn(projectFolder);
    recipient = await emptyRegistry();
  });
  after(() => recipient?.close());

  const one = (name: string): Packed => {
    const found = all.find(({ manifest }) => manifest.name === `@campaign-mirror/${name}`);
    if (!found) throw new Error(`${name} was not packed`);
    return found;
  };

  it('is six packages of one version, licence and range of Node', () => {
    expect(all.map(({ manifest }) => manifest.name)).to.have.members(
      names.map((name) => `@campaign-mirror/${name}`),
    );
    const { version, license } = root;
    for (const { manifest } of all) expect(manifest).to.include({ version, license });
    expect(new Set(all.map(({ manifest }) => manifest.engines.node))).to.have.lengthOf(1);
  });

  it('takes the place of older tarballs, and leaves what else is in the folder', () => {
    const files = all.map(({ file }) => basename(file));
    expect(readdirSync(dirname(one('domain').file))).to.have.members(['notes.txt', ...files]);
  });

  for (const name of names)
    describe(name, () => {
      it('holds what was built, its source and its README, nothing else', () => {
        const { files } = one(name);
        const sources = files.filter((file) => file.startsWith('src/'));
        expect(sources).to.include('src/index.ts');
        const built = sources.flatMap((file) =>
          ['.js', '.js.map', '.d.ts', '.d.ts.map'].map(
            (ending) => `dist${file.slice('src'.length, -'.ts'.length)}${ending}`,
          ),
        );
        const pages = files.filter((file) => name === 'adapters-http' && /^docs\/[\w.]+$/.test(file));
        const licence = files.filter((file) => /^LICEN[CS]E(\.\w+)?$/.test(file));
        const expected = [...built, ...sources, ...pages, ...licence, 'README.md', 'package.json'];
        expect(files).to.have.members(expected);
        expect(files.filter((file) => /\btests?\b/.test(file))).to.deep.equal([]);
      });

      it('has maps that lead to its source', () => {
        const { folder, files } = one(name);
        for (const map of files.filter((file) => file.endsWith('.map'))) {
          const { sources } = JSON.parse(readFileSync(join(folder, map), 'utf8'));
          expect(sources, map).to.have.lengthOf(1);
          expect(files).to.include(normalize(join(dirname(map), sources[0])));
        }
      });

      it('has a manifest for others: not private, real versions, every entry there', async () => {
        const { manifest, files } = one(name);
        expect(manifest).not.to.have.any.keys('private', 'devDependencies', 'publishConfig', 'scripts');
        const { dependencies = {}, peerDependencies = {} } = manifest;
        expect(JSON.stringify(manifest)).not.to.include('workspace:');
        // Two copies of it would have two `Unavailable`.
        expect(Object.keys(dependencies).filter((other) => other.startsWith('@campaign-mirror/'))).to.be
          .empty;
        for (const [other, range] of Object.entries(peerDependencies))
          if (other.startsWith('@campaign-mirror/')) expect(range).to.equal(`^${root.version}`);
        const source = await manifestIn(join(projectFolder, 'packages', name));
        expect(Object.keys(manifest.exports)).to.have.members(Object.keys(source.exports));
        for (const [entry, file] of Object.entries(source.exports)) {
          const built = String(file).replace('./src/', './dist/').replace('.ts', '');
          expect(manifest.exports[entry]).to.deep.equal({ types: `${built}.d.ts`, default: `${built}.js` });
          expect(files).to.include(`${built.slice(2)}.js`);
        }
      });

      it('brings what its declarations import, and the types of it', () => {
        const { folder, files, manifest } = one(name);
        const given = { ...manifest.dependencies, ...manifest.peerDependencies };
        const texts = files.filter((file) => file.endsWith('.d.ts')).map((file) => join(folder, file));
        const taken = texts.flatMap((file) => [
          ...readFileSync(file, 'utf8').matchAll(/\b(?:from |import\()["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g),
        ]);
        for (const other of new Set(taken.map(([, from = '']) => from))) {
          if (other.startsWith('node:')) continue;
          expect(given).to.have.property(other);
          const types = `@types/${other}`;
          if (existsSync(join(projectFolder, 'packages', name, 'node_modules', types)))
            expect(manifest.dependencies).to.have.property(types);
        }
      });

      it('publint has nothing to say', async () => {
        const { file, manifest } = one(name);
        const { buffer: tarball } = new Uint8Array(readFileSync(file));
        const { messages } = await publint({ strict: true, pack: { tarball } });
        expect(messages.map((message) => formatMessage(message, manifest))).to.deep.equal([]);
      });

      it('are the types wrong? No, for ESM', async () => {
        await run(attw, [one(name).file, '--profile', 'esm-only', '--quiet'], { cwd: projectFolder });
      });

      it('`npm publish` would send out the same files', async () => {
        const { file, files } = one(name);
        const words = ['publish', '--dry-run', '--json', file];
        const { stdout } = await run('npm', words, { env: { ...process.env, ...recipient.settings } });
        const told = JSON.parse(stdout);
        const [shown] = 'files' in told ? [told] : Object.values<{ files: { path: string }[] }>(told);
        expect(shown.files.map(({ path }: { path: string }) => path)).to.have.members(files);
      });
    });

  it('goes out as a tarball only: `npm publish` in the folder of a package is refused', async () => {
    const cwd = join(projectFolder, 'packages/domain');
    const error = await rejection(
      run('npm', ['publish'], { cwd, env: { ...process.env, ...recipient.settings } }),
    );
    expect(String(error)).to.include('EPRIVATE');
    expect(recipient.methods).not.to.include('PUT');
  });
});

/** A registry that has no package, and takes none; the key for it. */
async function emptyRegistry() {
  const methods: (string | undefined)[] = [];
  const server = createServer(({ method }, response) => {
    methods.push(method);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = join(await mkdtemp(join(tmpdir(), 'npmrc-')), 'npmrc');
  await writeFile(config, `//${host}/:_authToken=sesame\n`);
  return {
    methods,
    settings: {
      npm_config_registry: `http://${host}/`,
      npm_config_userconfig: config,
      npm_config_loglevel: 'error',
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
