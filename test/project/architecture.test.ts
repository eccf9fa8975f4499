import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';
import { rooms } from './rooms.ts';

const roomOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1).join('/');

/** Whatever an import, an export or the name of a program takes from below the project's folder. */
const taking = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(\.[\w@./:-]*\.ts)'/g;

/** The imports of a file that the table of rooms does not allow. */
function forbidden(path: string, text: string): string[] {
  const own = roomOf(path) ?? '';
  const allowed = (rooms[own] ?? '').split(' ').map((room) => `${own.split('/')[0]}/${room}`);
  return [...text.matchAll(taking)].flatMap(([, from = '']) => {
    const to = roomOf(join(dirname(path), from)) ?? 'an entry';
    return [own, ...allowed].includes(to) ? [] : [`${path}: ${to}`];
  });
}

/** What may not be imported or used in a room, by the rule of biome.json that finds it. */
const planted: readonly (readonly [room: string, rule: string, text: string])[] = [
  ['domain/src/values', 'noRestrictedImports', "await import('node:fs');"],
  ['domain/src/values', 'noRestrictedGlobals', "new Function('return 1');"],
  ['domain/src/values', 'noTsIgnore', '// @ts-ignore\nfetch();'],
  ['domain/src/values', 'plugin', 'declare const process: { env: object };'],
  ['adapters-http/src/routes', 'noRestrictedImports', "import type { Pool } from 'pg';"],
  ['adapters-http/src/routes', 'noRestrictedImports', "import '@campaign-mirror/domain/src/values/url.ts';"],
  ['adapters-http/src/routes', 'noProcessEnv', 'process.env.PORT;'],
  ['adapters-http/src/routes', 'plugin', "const name = 'koa';\nawait import(name);"],
  ['adapters-jwt/src/tokens', 'noRestrictedImports', "import '@campaign-mirror/adapters-http';"],
  ['adapters-persistence/src/bulk', 'noRestrictedImports', "import '@campaign-mirror/adapters-http';"],
  ['adapters-persistence/src/bulk', 'noRestrictedGlobals', 'process.pid;'],
  ['adapters-cli/src/terminal', 'noRestrictedImports', "import '../words/refusals.ts';"],
  ['adapters-cli/src/commands', 'noRestrictedImports', "import '@campaign-mirror/adapters-persistence/sql';"],
  ['embedded-postgres/src/cluster', 'noRestrictedImports', "import type { Client } from 'pg';"],
  ['embedded-postgres/src/server', 'noRestrictedImports', "import { roles } from '@campaign-mirror/domain';"],
  ['app/src/metrics', 'noRestrictedImports', "import '@campaign-mirror/adapters-persistence/in-memory';"],
  ['app/src/metrics', 'noUndeclaredDependencies', "import 'koa';"],
];

describe('architecture', () => {
  it('each room imports what the table of rooms allows, in which rooms import earlier ones', () => {
    const sources = globSync('packages/*/src/*/**/*.ts', { cwd: projectFolder });
    expect(sources.filter((path) => rooms[roomOf(path) ?? ''] === undefined)).to.deep.equal([]);
    const text = (path: string) => readFileSync(`${projectFolder}${path}`, 'utf8');
    expect(sources.flatMap((path) => forbidden(path, text(path)))).to.deep.equal([]);
    const upward = "export * from '../operator/x.ts';\nawait import('../index.ts');";
    expect(forbidden('packages/domain/src/values/x.ts', upward)).to.have.length(2);

    const names = Object.keys(rooms);
    for (const [nth, room] of names.entries())
      for (const other of rooms[room]?.split(' ').filter(Boolean) ?? [])
        expect(names.slice(0, nth), room).to.include(`${room.split('/')[0]}/${other}`);
    expect(text('packages/domain/src/index.ts')).not.to.match(/from '.*contracts/);
  });

  it('each rule of biome.json finds what is planted for it', () => {
    const copy = mkdtempSync(join(tmpdir(), 'campaign-mirror-lint-'));
    const configuration = ['biome.json', ...globSync('test/project/*.grit', { cwd: projectFolder })];
    for (const path of [...configuration, ...globSync('packages/*/package.json', { cwd: projectFolder })])
      cpSync(`${projectFolder}${path}`, join(copy, path));
    const files = planted.map(([room, rule, text], row) => {
      return { path: `packages/${room}/planted-${row}.ts`, rule, text };
    });
    for (const [name, other] of ['ab', 'ba']) {
      const path = `packages/domain/src/values/${name}.ts`;
      files.push({ path, rule: 'noImportCycles', text: `export type { X } from './${other}.ts';` });
    }
    for (const { path, text } of files) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), `${text}\n`);
    }
    const options = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=rdjson'];
    const biome = join(projectFolder, 'node_modules/.bin/biome');
    const { stdout } = spawnSync(biome, options, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 24 });
    rmSync(copy, { recursive: true });
    interface Diagnostic {
      readonly code: { readonly value: string };
      readonly location: { readonly path: string };
    }
    const found = (JSON.parse(stdout).diagnostics as Diagnostic[]).map(
      ({ code, location }) => `${location.path} ${code.value.split('/').at(-1)}`,
    );
    expect(files.filter(({ path, rule }) => !found.includes(`${path} ${rule}`))).to.deep.equal([]);
  });
});
