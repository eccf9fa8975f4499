import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { blocksOf, isAnswer } from '../support/documents/blocks.ts';
import { oldTools } from '../support/embedded/old-tools.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { projectFolder } from '../support/workspace.ts';
import { manifestIn, names, packed, run } from './packed.ts';

describe('the packages work in an empty project, installed by npm on the oldest Node, with the oldest koa', () => {
  const dataFolder = dataFolderOf('suite');
  const database = databaseOf('suite', emptyDatabase);
  let folder: string;
  let bin: string;

  async function ran(program: string, words: readonly string[], variables = {}): Promise<string> {
    const PATH = `${bin}${delimiter}${process.env.PATH}`;
    // Without the variables of this project, of its npm and of its database.
    const given = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|NODE_(?!EXTRA_CA_CERTS$)|PG)/.test(name),
    );
    const env = { ...Object.fromEntries(given), PATH, ...variables };
    return (await run(program, words, { cwd: folder, env, maxBuffer: 2 ** 24 })).stdout;
  }
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  /** The first block of a package's README, and the output that it promises. */
  async function exampleOf(name: string) {
    const readme = join(folder, 'node_modules/@campaign-mirror', name, 'README.md');
    return blocksOf(await readFile(readme, 'utf8'));
  }

  before('installs', async () => {
    const all = await packed();
    const [, oldest = ''] = /^\^(\d+\.\d+\.\d+) /.exec(all[0]?.manifest.engines.node ?? '') ?? [];
    bin = await oldTools(oldest);
    folder = await mkdtemp(join(tmpdir(), 'by-npm-'));
    await cp(join(projectFolder, 'examples'), join(folder, 'examples'), { recursive: true });
    const ours = all.map(({ manifest: { name }, file }) => [name, `file:${file}`]);
    const versions = { typescript: '7.0.2', koa: '3.1.2' };
    const dependencies = { ...(await others()), ...versions, ...Object.fromEntries(ours) };
    await write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const emitted = { module: 'nodenext', target: 'es2024', outDir: 'out', rootDir: '.', declaration: true };
    const compilerOptions = { ...strict, ...emitted, types: ['node'], rewriteRelativeImportExtensions: true };
    await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'examples'] }));
    // A package without a tarball must not come from the registry.
    await write('.npmrc', '@campaign-mirror:registry=https://registry.invalid/\n');
    await ran('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund']);
  });

  it('TypeScript finds no error in the examples and in the declarations', async () => {
    for (const name of names) {
      const [example] = await exampleOf(name);
      await write(`${name}.ts`, String(example?.text).replace('/tmp/embedded-example', dataFolder.path));
    }
    await write('wrong.ts', `import { campaignId } from '@campaign-mirror/domain';\ncampaignId(true);\n`);
    const words = ['node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'];
    const output: string = await ran('node', words).catch(({ stdout }) => stdout);
    const foreign = /^.*node_modules\/(?!@campaign-mirror\/|.*node_modules\/)/;
    const errors = output.split('\n').filter((line) => /^\S/.test(line) && !foreign.test(line));
    expect(errors).to.have.length(1);
    expect(errors[0]).to.match(/^wrong\.ts\(2,12\): error TS2345/);
  });

  for (const name of names)
    it(`the example of ${name} prints the output in its README`, async () => {
      const { host, port, user, password } = database.address('owner');
      const server = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: `${password}` };
      const printed = await ran('node', [`out/${name}.js`], { ...server, PGDATABASE: database.name });
      const [, answer] = await exampleOf(name);
      if (!answer || !isAnswer(answer, printed)) expect(printed).to.equal(answer?.text);
    });

  for (const path of globSync('examples/*/*.test.ts', { cwd: projectFolder }))
    it(`${path} passes`, async () => {
      await ran('node', ['--test', path], { DATABASE_URL: database.url('owner') });
    });
});

/** The other dependencies of the packages and the examples, in the versions of the workspace. */
async function others(): Promise<Record<string, string | undefined>> {
  const dependenciesIn = async (pattern: string) => {
    const folders = globSync(pattern, { cwd: projectFolder });
    const all = await Promise.all(folders.map((folder) => manifestIn(join(projectFolder, folder))));
    return Object.assign({}, ...all.flatMap((one) => [one.dependencies, one.devDependencies]));
  };
  const known = { ...(await dependenciesIn('packages/*')), ...(await dependenciesIn('.')) };
  const names = [
    ...['commander', '@commander-js/extra-typings', 'pg', '@types/pg', '@types/node', 'jose'],
    ...['swagger-ui-dist', 'inversify', '@mikro-orm/migrations'],
  ];
  const wanted = Object.fromEntries(names.map((name) => [name, known[name]]));
  return { ...wanted, ...(await dependenciesIn('examples/*')) };
}
