// `npm test -- --suite mutation [TARGET [FILE…]]`: changes the code in small ways, one at a time, and shows the changes
// that no test notices. Ends with 1 where fewer are noticed than the target's bar asks for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { startDatabaseServer, stopDatabaseServer } from '../support/database/database-server.ts';
import { dataVariable, runFolder, tell } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { type Target, targets } from './targets.ts';

const installed = join(projectFolder, 'test/mutation/node_modules');

/** What a copy of the project does without; it has links to the same installed packages. */
const left = ['.git', '.data', 'coverage', 'packed', 'node_modules', 'test/mutation/node_modules'];

/** Mutates a copy of the project, since packages find one another by links that lead out of Stryker's own copy. */
async function scoreOf(name: string, { mutate, tests, bar }: Target, folder: string): Promise<boolean> {
  const sources = join(folder, name);
  await cp(projectFolder, sources, {
    recursive: true,
    // Links to packages of the workspace are relative, so that they lead into the copy.
    verbatimSymlinks: true,
    filter: (path) => !left.includes(relative(projectFolder, path)),
  });
  await mkdir(join(sources, 'node_modules'));
  await symlink(join(projectFolder, 'node_modules/.pnpm'), join(sources, 'node_modules/.pnpm'));
  // Stryker's runner does not find the files of mocha 12.
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
    // A mutant that hangs is noticed after as long as its tests usually take, and this.
    timeoutMS: 5_000,
    timeoutFactor: 1.25,
    thresholds: { high: 100, low: bar, break: bar },
  };
  await writeFile(join(sources, 'stryker.config.json'), JSON.stringify(configuration));
  if (told) return false;
  const stryker = spawn(process.execPath, [join(installed, '@stryker-mutator/core/bin/stryker.js'), 'run'], {
    cwd: sources,
    stdio: 'inherit',
    // A group of its own, to end those that it starts, too.
    detached: true,
    // A mutant of what runs while a module is loaded takes a process of its own.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  endStryker = () => void (stryker.pid && tell(-stryker.pid, 'SIGKILL'));
  const [code] = await once(stryker, 'exit');
  endStryker();
  return code === 0;
}

const [chosen, ...files] = process.argv.slice(2);
if (chosen !== undefined && !(chosen in targets)) {
  console.error(`npm test -- --suite mutation [${Object.keys(targets).join(' | ')} [FILE…]]`);
  process.exit(2);
}

let endStryker = () => {};
let told = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    told = true;
    endStryker();
  });
const folder = await runFolder();
process.env[dataVariable] = folder.data;
await startDatabaseServer();
try {
  for (const [name, target] of Object.entries(targets)) {
    if (told || (chosen !== undefined && chosen !== name)) continue;
    const mutate = files.length > 0 ? files : target.mutate;
    if (!(await scoreOf(name, { ...target, mutate }, folder.path))) process.exitCode = 1;
  }
} finally {
  await stopDatabaseServer();
  await folder.remove();
}
