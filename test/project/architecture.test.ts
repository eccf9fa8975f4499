import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';
import { rooms } from './rooms.ts';

const roomOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1).join('/');

/** Whatever an import, an export or the name of a program takes; computed ones are refused by the linter. */
const taking = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'([@.\w][\w@./:-]*)'/g;

/** The imports of a file that are not allowed: of other packages, pnpm and biome.json let none in but those of the manifest. */
function forbidden(path: string, text: string): string[] {
  const own = roomOf(path) ?? '';
  const allowed = (rooms[own] ?? '').split(' ').map((room) => `${own.split('/')[0]}/${room}`);
  return [...text.matchAll(taking)].flatMap(([, from = '']) => {
    if (!from.startsWith('.')) return own.startsWith('domain/') ? [`${path}: ${from}`] : [];
    const to = roomOf(join(dirname(path), from)) ?? 'an entry';
    return !from.endsWith('.ts') || [own, ...allowed].includes(to) ? [] : [`${path}: ${to}`];
  });
}

describe('architecture', () => {
  const text = (path: string) => readFileSync(`${projectFolder}${path}`, 'utf8');

  it('each room imports what the table of rooms allows, the domain nothing else', () => {
    const sources = globSync('packages/*/src/*/**/*.ts', { cwd: projectFolder });
    expect(sources).to.have.length.above(100);
    expect(sources.filter((path) => rooms[roomOf(path) ?? ''] === undefined)).to.deep.equal([]);
    expect(sources.flatMap((path) => forbidden(path, text(path)))).to.deep.equal([]);
    expect(text('packages/domain/src/index.ts')).not.to.match(/from '.*contracts/);

    const planted = "export * from '../operator/x.ts';\nawait import('../index.ts');\nimport 'node:fs';";
    expect(forbidden('packages/domain/src/values/x.ts', planted)).to.have.length(3);
  });

  it('in the table, rooms import earlier ones', () => {
    const names = Object.keys(rooms);
    for (const [nth, room] of names.entries())
      for (const other of rooms[room]?.split(' ').filter(Boolean) ?? [])
        expect(names.slice(0, nth), room).to.include(`${room.split('/')[0]}/${other}`);
  });
});
