import { globSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { projectFolder, read } from '../support/workspace.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
}

/** By their names in SPDX: they ask for their notice to be kept, and for nothing that is made with them. */
const accepted = [
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0', 'PSF-2.0'],
];
/** Files that are changed stay under it. This one is not changed, and the tests alone use it. */
const acceptedFor: Readonly<Record<string, string>> = { 'axe-core': 'MPL-2.0' };

/** Every package of the lockfile that is installed, with what its own manifest says; one that is gone may lie there for days. */
async function installed(): Promise<Manifest[]> {
  const { packages } = parse(await read('pnpm-lock.yaml'));
  const folder = join(projectFolder, 'node_modules/.pnpm');
  return globSync(['*/node_modules/*/package.json', '*/node_modules/@*/*/package.json'], { cwd: folder })
    .map((path) => join(folder, path))
    .filter((path) => !lstatSync(join(path, '..')).isSymbolicLink())
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Manifest)
    .filter(({ name, version }) => `${name}@${version}` in packages);
}

function licenceOf({ license, licenses }: Manifest): string {
  return license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

/** An expression without parentheses inside it: of alternatives one has to be accepted, of conditions all. */
function isAccepted(name: string, licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((part) => part.split(' AND ').every((one) => accepted.includes(one) || acceptedFor[name] === one));
}

describe('licences', () => {
  it('every package that is installed has one that is accepted', async () => {
    const all = await installed();
    expect(all).to.have.length.above(400);
    const other = all
      .filter((one) => !isAccepted(one.name, licenceOf(one)))
      .map((one) => `${one.name}@${one.version}: ${licenceOf(one)}`);
    expect(other).to.deep.equal([]);
  });

  it('others are not: copyleft, none, a condition besides an accepted one', () => {
    for (const licence of ['GPL-3.0-only', 'MPL-2.0', 'UNLICENSED', 'none', 'MIT AND AGPL-3.0-only'])
      expect(isAccepted('some-package', licence), licence).to.equal(false);
    for (const licence of ['(MIT OR GPL-3.0-only)', 'MIT AND ISC'])
      expect(isAccepted('some-package', licence), licence).to.equal(true);
  });
});
