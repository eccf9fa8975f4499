// `npm run test:mutation -- [TARGET [FILE…]]`: changes the code in small ways, one at a time, and shows the changes that no test
// notices. Ends with 1 where fewer are noticed than the target's bar asks for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabaseServer, stopDatabaseServer } from '../support/database/database-server.ts';
import { projectFolder } from '../support/workspace.ts';
import { copyProject } from './copy-project.ts';
import { type Target, targets } from './targets.ts';

const installed = join(projectFolder, 'test/mutation/node_modules/@stryker-mutator');

/** Mutates a copy of the project, since packages find one another by links that lead out of Stryker's own copy. */
async function scoreOf(name: string, { mutate, tests, bar }: Target): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-mutation-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  await copyProject(folder);
  const configuration = {
    inPlace: true,
    testRunner: 'mocha',
    plugins: [join(installed, 'mocha-runner/dist/src/index.js')],
    mochaOptions: { 'no-config': true, spec: tests, require: ['./test/mutation/hooks.ts'] },
    mutate,
    concurrency: 1,
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
  await writeFile(join(folder, 'stryker.config.json'), JSON.stringify(configuration));
  const stryker = spawn(process.execPath, [join(installed, 'core/bin/stryker.js'), 'run'], {
    cwd: folder,
    stdio: 'inherit',
    // A group of its own, to end those that it starts, too.
    detached: true,
    // A mutant of what runs while a module is loaded takes a process of its own.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache') },
  });
  const abandon = () => {
    if (stryker.pid) process.kill(-stryker.pid, 'SIGKILL');
    remove();
  };
  process.once('exit', abandon);
  const [code] = await once(stryker, 'exit');
  process.off('exit', abandon);
  remove();
  return code === 0;
}

const [chosen, ...files] = process.argv.slice(2);
if (chosen !== undefined && !(chosen in targets)) {
  console.error(`npm run test:mutation -- [${Object.keys(targets).join(' | ')} [FILE…]]`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
await startDatabaseServer();
try {
  for (const [name, target] of Object.entries(targets)) {
    if (chosen !== undefined && chosen !== name) continue;
    const { mutate } = target;
    if (!(await scoreOf(name, { ...target, mutate: files.length > 0 ? files : mutate })))
      process.exitCode = 1;
  }
} finally {
  await stopDatabaseServer();
}
