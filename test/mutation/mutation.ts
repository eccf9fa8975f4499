// `npm test -- --suite mutation [TARGET]`: changes the code in small ways, one at a time, and shows the changes that no
// test notices. Ends with 1 if the score of a target is below its bar.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { startDatabaseServer, stopDatabaseServer } from '../support/database/database-server.ts';
import { dataVariable, runFolder, sendSignal } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';

/** The mutated files, the tests that must notice, and the lowest score in percent. */
const targets = {
  domain: { mutate: ['packages/domain/src/**/*.ts'], tests: ['test/domain/*.test.ts'], bar: 95 },
  'hot-path': {
    mutate: ['packages/adapters-persistence/src/{hot-path,statements}/*.ts'],
    // Without slow tests: a mutant that survives runs all that reach it.
    tests: [
      'test/postgres/statements.test.ts',
      'test/contracts/port-contracts.test.ts',
      'test/hot-path/!(unreplicated).test.ts',
    ],
    bar: 95,
  },
  http: {
    mutate: ['packages/adapters-http/src/*/*.ts'],
    tests: ['test/routes/*.test.ts', 'test/listener/*.test.ts', 'test/documents/docs-page.test.ts'],
    bar: 85,
  },
};

const installed = join(projectFolder, 'test/mutation/node_modules');

/** Folders that are not copied. The copy has links to the installed packages. */
const excluded = ['.git', '.data', 'coverage', 'packed', 'node_modules', 'test/mutation/node_modules'];

/** Mutates a copy of the project: the links between packages lead out of the copy that Stryker would make. */
async function scoreOf(
  name: string,
  { mutate, tests, bar }: (typeof targets)['domain'],
  folder: string,
): Promise<boolean> {
  const sources = join(folder, name);
  await cp(projectFolder, sources, {
    recursive: true,
    // Relative links between packages lead into the copy.
    verbatimSymlinks: true,
    filter: (path) => !excluded.includes(relative(projectFolder, path)),
  });
  await mkdir(join(sources, 'node_modules'));
  await symlink(join(projectFolder, 'node_modules/.pnpm'), join(sources, 'node_modules/.pnpm'));
  // Stryker's runner cannot load mocha 12.
  await symlink(join(installed, 'mocha'), join(sources, 'node_modules/mocha'));
  const spec = tests.flatMap((pattern) => globSync(pattern, { cwd: projectFolder }).sort());
  const configuration = {
    inPlace: true,
    testRunner: 'mocha',
    plugins: [join(installed, '@stryker-mutator/mocha-runner/dist/src/index.js')],
    mochaOptions: { 'no-config': true, spec, require: ['./test/mutation/hooks.ts'] },
    mutate,
    // Tests mostly wait for PostgreSQL.
    concurrency: availableParallelism() + 1,
    coverageAnalysis: 'perTest',
    checkers: [],
    disableTypeChecks: false,
    allowConsoleColors: false,
    reporters: ['clear-text', 'json', 'progress-append-only'],
    clearTextReporter: { logTests: false, allowColor: false, reportTests: false },
    jsonReporter: { fileName: join(projectFolder, `coverage/mutation-${name}.json`) },
    timeoutMS: 5_000,
    timeoutFactor: 1.25,
    thresholds: { high: 100, low: bar, break: bar },
  };
  await writeFile(join(sources, 'stryker.config.json'), JSON.stringify(configuration));
  if (isEnding) return false;
  const stryker = spawn(process.execPath, [join(installed, '@stryker-mutator/core/bin/stryker.js'), 'run'], {
    cwd: sources,
    stdio: 'inherit',
    detached: true,
    // Some mutants need a new process.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  endStryker = () => void (stryker.pid && sendSignal(-stryker.pid, 'SIGKILL'));
  const [code] = await once(stryker, 'exit');
  endStryker();
  return code === 0;
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in targets));
if (unknown.length > 0) throw new Error(`there is no target ${unknown}: ${Object.keys(targets)}`);

let endStryker = () => {};
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isEnding = true;
    endStryker();
  });
const folder = await runFolder();
process.env[dataVariable] = folder.data;
await startDatabaseServer();
try {
  for (const [name, target] of Object.entries(targets))
    if (chosen.length === 0 || chosen.includes(name))
      if (!(await scoreOf(name, target, folder.path))) process.exitCode = 1;
} finally {
  await stopDatabaseServer();
  await folder.remove();
}
