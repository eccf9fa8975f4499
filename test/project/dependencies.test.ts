import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { pnpm } from '../support/programs.ts';
import { projectFolder, read } from '../support/workspace.ts';

type Specifiers = Record<string, { specifier: string }>;
interface Lockfile {
  readonly importers: Record<string, Record<string, Specifiers>>;
  readonly packages: Record<string, { resolution: { integrity?: string } }>;
}

/** They ask for no more than their notice. */
const accepted = [
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0'],
  ...['Unlicense', 'Python-2.0', 'PSF-2.0', 'MIT OR Apache-2.0', '(MIT OR CC0-1.0)'],
];
/** Only changed files of it stay under its licence; the tests use it unchanged. */
const acceptedOnce = 'MPL-2.0 axe-core';

async function jsonOf(program: string, ...words: string[]) {
  const options = { cwd: projectFolder, maxBuffer: 2 ** 26 };
  return JSON.parse((await promisify(execFile)(program, words, options)).stdout);
}

describe('the dependencies are known, pinned and free to use', () => {
  let lockfile: Lockfile;
  before(async () => {
    lockfile = parse(await read('pnpm-lock.yaml'));
  });

  it('each has an exact version and a hash, and no address of its own', async () => {
    for (const [key, { resolution }] of Object.entries(lockfile.packages)) {
      expect(Object.keys(resolution), key).to.deep.equal(['integrity']);
      expect(resolution.integrity, key).to.match(/^sha512-[\w+/]{86}==$/);
    }
    for (const group of Object.values(lockfile.importers).flatMap((groups) => Object.values(groups)))
      for (const [name, { specifier }] of Object.entries(group))
        if (!name.startsWith('@campaign-mirror/')) expect(specifier, name).to.match(/^\d+\.\d+\.\d+[\w.-]*$/);
  });

  it('each has an accepted licence', async () => {
    const words = ['--recursive', 'licenses', 'list', '--json'];
    const byLicence: Record<string, { name: string }[]> = await jsonOf(pnpm, ...words);
    expect(Object.values(byLicence).flat()).to.have.length.above(100);
    const others = Object.entries(byLicence).filter(([licence]) => !accepted.includes(licence));
    const named = others.flatMap(([licence, all]) => all.map(({ name }) => `${licence} ${name}`));
    expect(named).to.deep.equal([acceptedOnce]);
  });

  it('npm run sbom lists those of the service with their hashes, and not those of the tests', async () => {
    const bom: { components: { purl: string }[] } = await jsonOf('npm', 'run', '--silent', 'sbom');
    for (const name of ['koa', '@mikro-orm/core']) {
      const key = Object.keys(lockfile.packages).find((one) => one.startsWith(`${name}@`)) ?? '';
      const integrity = lockfile.packages[key]?.resolution.integrity?.replace('sha512-', '') ?? '';
      const listed = bom.components.find(({ purl }) => purl === `pkg:npm/${key.replace(/^@/, '%40')}`);
      expect(JSON.stringify(listed), name).to.include(Buffer.from(integrity, 'base64').toString('hex'));
    }
    expect(bom.components.filter(({ purl }) => /\/(?:mocha|typescript)@/.test(purl))).to.deep.equal([]);
  });
});
