import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';

const text = (path: string) => readFileSync(`${projectFolder}${path}`, 'utf8');

/** By package, the rooms of ARCHITECTURE.md's table: one after the other, those beside each other together. */
const packages = new Map(
  [...text('ARCHITECTURE.md').matchAll(/^\| `([\w-]+)` \| ([a-z-]+(?:(?:, | \/ )[a-z-]+)*) \|$/gm)].map(
    ([, name = '', rooms = '']) => [name, rooms.split(', ').map((group) => group.split(' / '))],
  ),
);

const placeOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1) ?? [];

/** Whatever an import, an export or the name of a program takes; computed ones are refused by the linter. */
const taking = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'([@.\w][\w@./:-]*)'/g;

/** The imports of a file that are not allowed: of other packages, pnpm and biome.json let none in but those of the manifest. */
function forbidden(path: string, text: string): string[] {
  const [name = '', own = ''] = placeOf(path);
  const groups = packages.get(name) ?? [];
  const before = groups.slice(
    0,
    groups.findIndex((group) => group.includes(own)),
  );
  const allowed = [...before.flat(), own];
  return [...text.matchAll(taking)].flatMap(([, from = '']) => {
    if (!from.startsWith('.')) return name === 'domain' ? [`${path}: ${from}`] : [];
    const [, room = 'an entry'] = placeOf(join(dirname(path), from));
    return !from.endsWith('.ts') || allowed.includes(room) ? [] : [`${path}: ${from}`];
  });
}

describe('architecture', () => {
  const sources = globSync('packages/*/src/*/**/*.ts', { cwd: projectFolder });

  it('each room imports earlier ones of its package, the domain nothing else', () => {
    expect(sources).to.have.length.above(100);
    expect(sources.flatMap((path) => forbidden(path, text(path)))).to.deep.equal([]);
  });

  it('every room is in the table, and every room of the table is there', () => {
    const named = [...packages].flatMap(([name, groups]) => groups.flat().map((room) => `${name}/${room}`));
    const there = new Set(sources.map((path) => placeOf(path).join('/')));
    expect(named.sort()).to.deep.equal([...there].sort());
  });

  it('the entry of the call has nothing of the operator', () => {
    const rooms = [...text('packages/domain/src/index.ts').matchAll(/'\.\/([^/']*)/g)].map(
      ([, room]) => room,
    );
    expect([...new Set(rooms)]).to.deep.equal(['set-campaign-mirror', 'values']);
  });

  for (const [place, from] of [
    ['domain/values', '../operator/x.ts'],
    ['domain/set-campaign-mirror', '../operator/x.ts'],
    ['domain/values', '../index.ts'],
    ['domain/values', 'node:fs'],
    ['adapters-persistence/migration', '../hot-path/x.ts'],
    ['adapters-persistence/hot-path', '../operator/x.ts'],
    ['adapters-http/listener', '../routes/x.ts'],
    ['app/settings', '../process/x.ts'],
  ])
    it(`${place} does not import ${from}`, () => {
      const path = `packages/${place?.replace('/', '/src/')}/x.ts`;
      for (const taken of [`import '${from}';`, `export * from '${from}';`, `await import('${from}');`])
        expect(forbidden(path, taken), taken).to.deep.equal([`${path}: ${from}`]);
    });
});
