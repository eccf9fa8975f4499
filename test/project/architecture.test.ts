import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';

/** The rooms of each package: a room imports earlier ones alone. What a package may import, biome.json says. */
const packages: Readonly<Record<string, string>> = {
  domain: 'values set-campaign-mirror operator move-mirrors import-campaigns',
  'port-contracts': 'kit cases',
  'adapters-http': 'chain routes listener',
  'adapters-persistence': 'schema connection statements hot-path operator bulk migration',
  'adapters-jwt': 'tokens',
  'embedded-postgres': 'server',
  'adapters-cli': 'terminal commands import-export',
  app: 'settings logging process database metrics ops-page http wiring operator service administration command-line',
};

const placeOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1) ?? [];

/** Whatever an import, an export or the name of a program takes; computed ones are refused by the linter. */
const taking = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'([@.\w][\w@./:-]*)'/g;

/** The imports of a file that are not allowed: of other packages, pnpm and biome.json let none in but those of the manifest. */
function forbidden(path: string, text: string): string[] {
  const [name = '', own = ''] = placeOf(path);
  const rooms = (packages[name] ?? '').split(' ');
  const allowed = rooms.slice(0, rooms.indexOf(own) + 1);
  return [...text.matchAll(taking)].flatMap(([, from = '']) => {
    if (!from.startsWith('.')) return name === 'domain' ? [`${path}: ${from}`] : [];
    const [, room = 'an entry'] = placeOf(join(dirname(path), from));
    return !from.endsWith('.ts') || allowed.includes(room) ? [] : [`${path}: ${from}`];
  });
}

describe('architecture', () => {
  it('each room imports earlier ones of its package, the domain nothing else', () => {
    const text = (path: string) => readFileSync(`${projectFolder}${path}`, 'utf8');
    const sources = globSync('packages/*/src/*/**/*.ts', { cwd: projectFolder });
    expect(sources).to.have.length.above(100);
    expect(sources.flatMap((path) => forbidden(path, text(path)))).to.deep.equal([]);

    const planted = "export * from '../operator/x.ts';\nawait import('../index.ts');\nimport 'node:fs';";
    expect(forbidden('packages/domain/src/values/x.ts', planted)).to.have.length(3);
  });
});
