import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';

const text = (path: string) => readFileSync(`${projectFolder}${path}`, 'utf8');

/** For each package, its rooms in the order of ARCHITECTURE.md; rooms with `/` between them form one group. */
const packages = new Map(
  [...text('ARCHITECTURE.md').matchAll(/^\| `([\w-]+)` \| ([a-z-]+(?:(?:, | \/ )[a-z-]+)*) \|$/gm)].map(
    ([, name = '', rooms = '']) => [name, rooms.split(', ').map((group) => group.split(' / '))],
  ),
);

const placeOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1) ?? [];

/** The modules of all imports, exports and programs in a file; the linter refuses computed ones. */
const imported = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'([@.\w][\w@./:-]*)'/g;

/** The forbidden imports of a file. Imports of other packages are limited by their manifests and biome.json. */
function forbidden(path: string, text: string): string[] {
  const [name = '', own = ''] = placeOf(path);
  const groups = packages.get(name) ?? [];
  const at = groups.findIndex((group) => group.includes(own));
  const allowed = [...groups.slice(0, at).flat(), own];
  return [...text.matchAll(imported)].flatMap(([, from = '']) => {
    if (!from.startsWith('.')) return name === 'domain' ? [`${path}: ${from}`] : [];
    const [, room = 'an entry'] = placeOf(join(dirname(path), from));
    return !from.endsWith('.ts') || allowed.includes(room) ? [] : [`${path}: ${from}`];
  });
}

describe('the packages keep to the table of rooms in ARCHITECTURE.md', () => {
  const sources = globSync('packages/*/src/*/**/*.ts', { cwd: projectFolder });

  it('each room imports earlier rooms of its package; the domain imports nothing else', () => {
    expect(sources.flatMap((path) => forbidden(path, text(path)))).to.deep.equal([]);
    const path = 'packages/domain/src/values/x.ts';
    for (const from of ['../operator/x.ts', '../index.ts', 'node:fs'])
      expect(forbidden(path, `export * from '${from}';`)).to.deep.equal([`${path}: ${from}`]);
  });

  it('the table names exactly the rooms that exist', () => {
    const named = [...packages].flatMap(([name, groups]) => groups.flat().map((room) => `${name}/${room}`));
    const existing = new Set(sources.map((path) => placeOf(path).join('/')));
    expect(named.sort()).to.deep.equal([...existing].sort());
  });

  it('the main entry of the domain exports nothing of the operator', () => {
    const entry = text('packages/domain/src/index.ts');
    const rooms = Array.from(entry.matchAll(/'\.\/([^/']*)/g), ([, room]) => room);
    expect([...new Set(rooms)]).to.deep.equal(['set-campaign-mirror', 'values']);
  });
});
