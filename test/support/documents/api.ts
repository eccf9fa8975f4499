import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Application,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc';
import { filesIn, projectFolder, read } from '../workspace.ts';

/** The entries of the packages that leave the workspace, each with its source. */
async function entriesOf(): Promise<Map<string, string>> {
  const paths = (await filesIn('packages')).filter((path) => /^packages\/[^/]+\/package\.json$/.test(path));
  const all = paths.map(async (path) => {
    const { name, exports, publishConfig } = JSON.parse(await read(path));
    const entries = Object.entries<string>(publishConfig ? exports : {});
    return entries.map(([entry, file]) => [join(name, entry), join(path, '..', file)] as const);
  });
  return new Map((await Promise.all(all)).flat());
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

let once: ReturnType<typeof readApi> | undefined;

/** Read once: it takes seconds. */
export async function api(): Promise<ProjectReflection> {
  once ??= readApi();
  return (await once).project;
}

/** Each exported name with the first sentence of its comment. A name that a smaller entry has is listed there only. */
export async function exportsTable(): Promise<string> {
  const { children: entries = [] } = await api();
  const rows = entries.flatMap(({ name: entry, children = [] }) => {
    const smaller = entries.filter(({ name }) => name.startsWith(`${entry}/`));
    const there = new Set(smaller.flatMap((one) => one.children ?? []).map(({ name }) => name));
    return children
      .filter(({ name }) => !there.has(name))
      .map(
        (one) =>
          `| \`${entry.replace(/^@[^/]+\//, '')}\` | \`${one.name}\` | ${kindOf(one)} | ${meaningOf(one)} |`,
      );
  });
  return ['| entry | name | is | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** Exported names, and their methods, that have no comment: `@campaign-mirror/domain: CampaignRepository.find`. */
export function undocumented({ children: entries = [] }: ProjectReflection): string[] {
  const methods = ReflectionKind.Method | ReflectionKind.Accessor;
  return entries.flatMap(({ name: entry, children = [] }) =>
    children.flatMap((one) => {
      const own = (one.children ?? []).filter(
        (each) => each.kindOf(methods) && !each.inheritedFrom && !each.implementationOf,
      );
      const lacking = [one, ...own].filter((each) => textOf(each) === '');
      return lacking.map((each) => `${entry}: ${each === one ? '' : `${one.name}.`}${each.name}`);
    }),
  );
}

function kindOf(one: DeclarationReflection): string {
  const meant = targetOf(one);
  if (meant.kindOf(ReflectionKind.Class)) return 'class';
  if (meant.kindOf(ReflectionKind.Function)) return 'function';
  return meant.kindOf(ReflectionKind.Variable) ? 'value' : 'type';
}

function meaningOf(one: DeclarationReflection): string {
  const [sentence = ''] = /^.*?(?:\.(?=\s+[A-Z`])|$)/.exec(textOf(one).replaceAll(/\s+/g, ' ').trim()) ?? [];
  return sentence.replaceAll('|', '\\|');
}

/** What stands in the comment, be it the comment of a type's function. */
function textOf(one: DeclarationReflection): string {
  const meant = targetOf(one);
  const declared = meant.type?.type === 'reflection' ? meant.type.declaration : undefined;
  const places = [
    meant,
    ...(meant.signatures ?? []),
    meant.getSignature,
    declared,
    ...(declared?.signatures ?? []),
  ];
  const comment = places.find((place) => place?.hasComment())?.comment;
  return comment?.summary.map(({ text }) => text).join('') ?? '';
}

function targetOf(one: DeclarationReflection): DeclarationReflection {
  return one.isReference() ? (one.getTargetReflectionDeep() as DeclarationReflection) : one;
}
