import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';
import { rooms, typesOf } from './rooms.ts';

type Sources = Readonly<Record<string, string>>;

/** Every file of the packages' sources, by its path. */
const sources: Sources = Object.fromEntries(
  globSync('packages/*/src/**/*.ts', { cwd: projectFolder }).map((path) => [
    path,
    readFileSync(`${projectFolder}${path}`, 'utf8'),
  ]),
);

/** The program, and what the packages export. */
const entries = new Set([
  'packages/app/src/main.ts',
  ...globSync('packages/*/package.json', { cwd: projectFolder }).flatMap((path) => {
    const { exports = {} } = JSON.parse(readFileSync(`${projectFolder}${path}`, 'utf8'));
    return Object.values<string>(exports).map((entry) => join(dirname(path), entry));
  }),
]);

/** What imports and exports take, static or not, and the programs that a file names; computed ones are refused elsewhere. */
const taking =
  /(?<clause>^(?:import|export)\b[^;'"=]*?)?(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(?<from>[@.\w][\w@./:-]*)'/gm;

const roomOf = (path: string) => /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path)?.slice(1).join('/');

interface Arrow {
  readonly path: string;
  /** A room such as `domain/values`, or a package such as `koa`. */
  readonly to: string;
  readonly names: readonly string[];
  readonly onlyTypes: boolean;
}

/** What the files of a source import, other than from their own room and from Node. */
function arrowsOf(files: Sources): Arrow[] {
  return Object.entries(files).flatMap(([path, text]) =>
    [...text.matchAll(taking)].flatMap(({ groups: { clause = '', from = '' } = {} }) => {
      const own = roomOf(path);
      if (!own || from.startsWith('node:')) return [];
      const names = (/\{([^}]*)\}/.exec(clause)?.[1] ?? '')
        .split(',')
        .map((name) => name.replace(/\btype\b/, ''));
      const named = names.map((name) => name.trim().split(' as ')[0] ?? '').filter(Boolean);
      const onlyTypes = /^(?:import|export) type\b/.test(clause);
      if (!from.startsWith('.')) {
        const name = from.split('/').slice(0, from.startsWith('@') ? 2 : 1);
        return [{ path, to: name.join('/'), names: named, onlyTypes }];
      }
      if (!from.endsWith('.ts')) return [];
      const target = normalize(join(dirname(path), from));
      const to = roomOf(target) ?? target;
      return to === own ? [] : [{ path, to, names: named, onlyTypes }];
    }),
  );
}

/** The imports that the table does not allow, such as `packages/domain/src/values/url.ts: domain/operator`. */
function forbidden(files: Sources): string[] {
  return arrowsOf(files).flatMap(({ path, to, onlyTypes }) => {
    const own = roomOf(path) ?? '';
    const allowed = (rooms[own] ?? '').split(' ').flatMap((name) => [name, `${own.split('/')[0]}/${name}`]);
    const open = allowed.includes(to) || allowed.includes(`${to.split('/')[0]}/*`);
    return open || (onlyTypes && typesOf.includes(to)) ? [] : [`${path}: ${to}`];
  });
}

/** For each room those it imports from, also through the entry of another package. */
function graphOf(files: Sources): Map<string, Set<string>> {
  const graph = new Map(Object.keys(rooms).map((room) => [room, new Set<string>()]));
  for (const { path, to, names } of arrowsOf(files)) {
    const [, of] = /^@campaign-mirror\/(.+)/.exec(to) ?? [];
    const targets = of ? names.map((name) => homeOf(files, of, name)) : [to];
    for (const target of targets) if (graph.has(target)) graph.get(roomOf(path) ?? '')?.add(target);
  }
  return graph;
}

/** The room that a package's entry takes a name from. */
function homeOf(files: Sources, of: string, name: string): string {
  const folder = `packages/${of}/src`;
  const texts = Object.keys(files)
    .filter((path) => dirname(path) === folder)
    .map((path) => files[path]);
  const taken = texts.join('\n').matchAll(/(\*|\{[^}]*\}) from '\.\/(([^/']+)\/[^']+)'/g);
  const said = new RegExp(`\\b${name}\\b`);
  const exported = new RegExp(`^export (?:[a-z]+ )*[a-z]+\\*? ${name}\\b`, 'm');
  for (const [, list = '', file, room] of taken)
    if (said.test(list) || (list === '*' && exported.test(files[`${folder}/${file}`] ?? '')))
      return `${of}/${room}`;
  // The entry's own.
  return `${of}/index.ts`;
}

/** How high a room lies above those that import nothing. @throws Error where rooms import each other in a circle */
function floorOf(room: string, graph: Map<string, Set<string>>, above: readonly string[] = []): number {
  if (above.includes(room)) throw new Error(`a circle: ${[...above, room].join(' > ')}`);
  const below = [...(graph.get(room) ?? [])].map((one) => floorOf(one, graph, [...above, room]));
  return 1 + Math.max(0, ...below);
}

describe('architecture: rooms', () => {
  it('each room imports what the table of rooms allows', () => {
    expect(forbidden(sources)).to.deep.equal([]);
  });

  for (const room of Object.keys(rooms))
    it(`${room}: whatever the table does not list is found`, () => {
      const [name = ''] = room.split('/');
      const path = `packages/${room}/planted.ts`.replace(`${name}/`, `${name}/src/`);
      const others = Object.keys(rooms).filter((other) => other !== room && other.startsWith(`${name}/`));
      const listed = new Set((rooms[room] ?? '').split(' ').flatMap((one) => [one, `${name}/${one}`]));
      const planted = [
        ...others.map((other) => [
          other,
          `import type { X } from '../${other.slice(name.length + 1)}/x.ts';`,
        ]),
        ...['koa', 'inversify', 'prom-client', 'ioredis', 'jose'].map((library) => [
          library,
          `await import('${library}');`,
        ]),
        ['pg', "import { Client } from 'pg';"],
        ['@opentelemetry/api', "import '@opentelemetry/api';"],
      ].filter(([to = '']) => !listed.has(to));
      const text = planted.map(([, line]) => line).join('\n');
      expect(forbidden({ [path]: text })).to.deep.equal(planted.map(([to]) => `${path}: ${to}`));
    });

  it('the entry of the domain does not load the contracts of the ports', () => {
    const entry = 'packages/domain/src/index.ts';
    const loaded = (text = '') =>
      [...text.matchAll(taking)].filter(({ groups }) => /contracts/.test(groups?.from ?? ''));
    expect(loaded(sources[entry])).to.deep.equal([]);
    expect(
      loaded("export { judge } from './contracts/case.ts';\nexport * from './contracts.ts';"),
    ).to.have.length(2);
  });

  it('no circle, and at most ten floors', () => {
    const graph = graphOf(sources);
    expect(Math.max(...[...graph.keys()].map((room) => floorOf(room, graph)))).to.be.at.most(10);
    const circle = { 'packages/domain/src/values/x.ts': "import '../operator/x.ts';" };
    expect(() => floorOf('domain/values', graphOf({ ...sources, ...circle }))).to.throw('a circle');
  });

  it('folders hold 3 to 20 files, and a source has its entries and one floor of rooms', () => {
    const folders = Map.groupBy(
      globSync('{packages/*/src,test,bench}/**/*.{ts,sh,proto,lua}', {
        cwd: projectFolder,
        exclude: (name) => ['node_modules', 'dist'].includes(name),
      }),
      (path) => dirname(path),
    );
    const bad = [...folders].filter(
      ([path, { length }]) => !/src$|^bench$|^test$/.test(path) && (length < 3 || length > 20),
    );
    expect(bad.map(([path, { length }]) => `${path}: ${length}`)).to.deep.equal([]);
    const lost = Object.keys(sources).filter(
      (path) => !entries.has(path) && !((roomOf(path) ?? '') in rooms),
    );
    const deep = Object.keys(sources).filter((path) => path.split('/').length > 5);
    expect([...lost, ...deep]).to.deep.equal([]);
  });
});
