import { expect } from 'chai';
import {
  allowed,
  type Manifest,
  type PackageFiles,
  testViolations,
  violations,
} from '../support/import-rules.ts';
import { planted } from '../support/planted-imports.ts';
import { packages, tests } from '../support/workspace.ts';

const domain = 'packages/domain/src/planted.ts';
const http = 'packages/adapters-http/src/planted.ts';

describe('decisions: architecture — who imports what', () => {
  let project: PackageFiles[];
  before(async () => {
    project = await packages();
  });

  /** The package that the file is planted in. */
  const plant = (path: string, text: string): PackageFiles[] =>
    project
      .filter(({ folder }) => path.startsWith(`${folder}/`))
      .map((one) => ({
        ...one,
        sources: [...one.sources.filter((file) => file.path !== path), { path, text }],
      }));
  const declare = (folder: string, change: (manifest: Manifest) => Partial<Manifest>): PackageFiles[] =>
    project.map((one) =>
      one.folder === folder ? { ...one, manifest: { ...one.manifest, ...change(one.manifest) } } : one,
    );

  it('the packages are those of the table, and keep its rules', () => {
    expect(project.map(({ folder }) => folder)).to.have.members(Object.keys(allowed));
    expect(violations(project)).to.deep.equal([]);
  });

  for (const [path, text, line, found] of planted) {
    it(`${path.split('/')[1]}: ${JSON.stringify(text)} is found`, () => {
      const breaks = violations(plant(path, text)).filter((one) => !isAboutDeclarations(one, found));
      expect(breaks.filter((one) => one.startsWith(path))).to.deep.equal([`${path}:${line} ${found}`]);
    });
  }

  it('what only looks like a violation is none', () => {
    const innocent = [
      "// import 'node:fs'; process.env",
      "export const text = 'process.env, globalThis';",
      'export const of = (one: { process: number }) => one.process;',
      'export const shape = { process: 1, global: 2 };',
      "import { type Campaign, campaignId } from '@campaign-mirror/domain';",
      'process.memoryUsage();',
      "await import('koa');",
    ].join('\n');
    expect(violations(plant(http, innocent))).to.deep.equal([]);
  });

  it('a dependency that is not declared, or only for development, is found', () => {
    const phantom = declare('packages/adapters-http', ({ dependencies: { koa, ...rest } = {} }) => ({
      dependencies: rest,
    }));
    const forDevelopment = declare('packages/adapters-http', ({ dependencies: { koa, ...rest } = {} }) => ({
      dependencies: rest,
      devDependencies: { koa: '3.3.0', '@types/koa': '3', '@types/koa-bodyparser': '5', '@types/node': '26' },
    }));
    for (const changed of [phantom, forDevelopment]) {
      expect(violations(changed).map((found) => found.replace(/:[0-9]+/, ''))).to.deep.equal([
        'packages/adapters-http/src/app.ts imports koa: not among the dependencies in packages/adapters-http/package.json',
      ]);
    }
  });

  it('a dependency that no file imports is found', () => {
    const changed = declare('packages/domain', () => ({
      dependencies: { koa: '3.3.0' },
      devDependencies: { '@types/node': '26.6.6' },
    }));
    expect(violations(changed)).to.deep.equal([
      'packages/domain/package.json declares koa, which no file imports',
      'packages/domain/package.json declares @types/node, which no file imports',
    ]);
  });

  it('the tests declare what they import', async () => {
    const ours = await tests();
    expect(testViolations(ours)).to.deep.equal([]);
    const { chai, ...without } = ours.manifest.devDependencies ?? {};
    const changed = {
      ...ours,
      manifest: { ...ours.manifest, devDependencies: { ...without, valibot: '1.5.0' } },
    };
    const found = testViolations(changed);
    expect(found.join('\n')).to.match(/^test\/[^:]+:\d+ imports chai: not among the dependencies/);
    expect(found).to.include('test/package.json declares valibot, which no file imports');
  });

  it('files that import each other in a circle are found, also by their types alone', () => {
    const circle = plant('packages/domain/src/branded.ts', "import type { Caller } from './caller.ts';");
    expect(violations(circle)).to.deep.equal([
      'packages/domain/src/branded.ts → packages/domain/src/caller.ts → packages/domain/src/identifiers.ts → packages/domain/src/branded.ts: files import each other in a circle',
    ]);
    expect(violations(plant(domain, "export * from './planted.ts';"))).to.deep.equal([
      `${domain} → ${domain}: files import each other in a circle`,
    ]);
  });

  it('a package without a row in the table is found', () => {
    const another = {
      folder: 'packages/adapters-grpc',
      manifest: { name: 'x' },
      sources: [{ path: 'a.ts', text: '' }],
    };
    expect(violations([...project, another])).to.deep.equal([
      'packages/adapters-grpc: is not in the table of who may import what',
    ]);
  });

  it('a check that reads no file, or a file that is no TypeScript, fails', () => {
    expect(() => violations([])).to.throw('no package was read');
    const empty = project.map((one) => ({ ...one, sources: [] }));
    expect(() => violations(empty)).to.throw('no file was read');
    expect(() => violations(plant(domain, 'import from;'))).to.throw(SyntaxError, domain);
  });
});

/** What is imported against a rule is not declared either: that is another rule, tested by itself. */
function isAboutDeclarations(one: string, expected: string): boolean {
  return one.includes('not among the dependencies') && !expected.includes('not among the dependencies');
}
