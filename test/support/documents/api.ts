import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Application, type DeclarationReflection, ReflectionKind, type TypeDocOptions } from 'typedoc';
import { projectFolder, read } from '../workspace.ts';

/** The entries of the packages that leave the workspace, each with its source. */
async function entriesOf(): Promise<Map<string, string>> {
  const entries: [string, string][] = [];
  for (const path of globSync('packages/*/package.json', { cwd: projectFolder }).sort()) {
    const { name, exports, publishConfig } = JSON.parse(await read(path));
    for (const [entry, file] of Object.entries<string>(publishConfig ? exports : {}))
      entries.push([join(name, entry), join(path, '..', file)]);
  }
  return new Map(entries);
}

/** What the packages export, as typedoc reads it: by TypeScript 5, since it knows no newer compiler's interface. */
export async function readApi(options: TypeDocOptions = {}) {
  const entries = await entriesOf();
  const files = [...entries.values()].map((file) => join(projectFolder, file));
  // In test/, from where the types are found.
  const folder = await mkdtemp(join(projectFolder, 'test', '.readme-'));
  try {
    const tsconfig = join(folder, 'tsconfig.json');
    const compilerOptions = { types: ['node', 'pg'], composite: false, noEmit: true };
    await writeFile(
      tsconfig,
      JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files }),
    );
    const app = await Application.bootstrapWithPlugins({
      ...{ entryPoints: files, tsconfig, readme: 'none', name: 'The packages', logLevel: 'Error' },
      // `npm run types` checks the sources.
      ...{ skipErrorChecking: true, excludeExternals: true, excludePrivate: true },
      ...options,
    });
    const project = await app.convert();
    if (!project) throw new Error('typedoc did not understand the sources');
    for (const module of project.children ?? []) {
      const file = module.sources?.[0]?.fullFileName ?? '';
      const [name] = [...entries].find(([, source]) => file.endsWith(`/${source}`)) ?? [];
      // By the name that others import it from.
      module.name = name ?? module.name;
    }
    return { app, project };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is called, made or implemented, by entry and kind. A name that a smaller entry has is listed there only. */
export async function exportsList(): Promise<string> {
  const { children: entries = [] } = (await readApi()).project;
  const lines = entries.flatMap(({ name: entry, children = [] }) => {
    const smaller = entries.filter(({ name }) => name.startsWith(`${entry}/`));
    const there = new Set(smaller.flatMap((one) => one.children ?? []).map(({ name }) => name));
    const lists = Object.entries(kinds).flatMap(([title, kind]) => {
      const members = children.filter((one) => !there.has(one.name) && targetOf(one).kindOf(kind));
      const names = members.map(({ name }) => `\`${name}\``).join(', ');
      return members.length === 0 ? [] : [wrapped(`  - ${title}: ${names}`)];
    });
    return [`- \`${entry}\``, ...lists];
  });
  return lines.join('\n');
}

/** In lines of at most 120 characters, their indentation included. */
const wrapped = (text: string) => text.replace(/(?=.{117})(.{1,115},) /g, '$1\n    ');

const kinds = {
  classes: ReflectionKind.Class,
  interfaces: ReflectionKind.Interface,
  functions: ReflectionKind.Function,
  values: ReflectionKind.Variable,
};

function targetOf(one: DeclarationReflection): DeclarationReflection {
  return one.isReference() ? (one.getTargetReflectionDeep() as DeclarationReflection) : one;
}
