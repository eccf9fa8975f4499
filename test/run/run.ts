import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataVariable, runFolder, sendSignal } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { filesOf, programs, suites } from './suites.ts';

const mochaProgram = join(projectFolder, 'node_modules/mocha/bin/mocha.js');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long processes may take to end after a signal, in milliseconds. */
const grace = 10_000;

const isFolder = (word: string) => statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;

/** Runs a suite, or the named files and folders: `[--suite SUITE] [FILE…] [OPTIONS OF MOCHA…]`. */
async function run(words: readonly string[]): Promise<number> {
  const at = words.indexOf('--suite');
  const name = at === -1 ? 'core' : (words[at + 1] ?? '');
  const rest = at === -1 ? words : words.toSpliced(at, 2);
  const given = rest.flatMap((word) => (isFolder(word) ? globSync(`${word}/**/*.test.ts`) : word));
  const program = programs[name];
  if (program) return (await prepare(program)) || runProgram(process.execPath, [...program.words, ...given]);
  const suite = suites[name];
  const known = [...Object.keys(suites), ...Object.keys(programs)].join(', ');
  if (!suite) throw new Error(`there is no suite ${name}: ${known}`);
  const ofSuite = filesOf(suite).map((file) => `test/${file}.test.ts`);
  const named = given.filter((word) => word.endsWith('.test.ts'));
  const absent = named.filter((file) => !existsSync(file));
  if (absent.length > 0) throw new Error(`there is no file ${absent.join(', ')}`);
  const files = named.length > 0 ? named : ofSuite;
  const options = given.filter((word) => !named.includes(word));
  // Tests wait much for other processes: one more than there are processors.
  const jobs = suite.oneByOne ? 1 : Math.min(files.length, availableParallelism() + 1, 4);
  if (jobs > 1) options.unshift('--parallel', '--jobs', String(jobs));
  return (await prepare(suite)) || runMocha([...options, ...files], suite.environment);
}

/** Runs mocha, and leaves none of its processes behind. */
async function runMocha(words: readonly string[], environment = {}): Promise<number> {
  const folder = await runFolder();
  const folders = { TMPDIR: folder.path, [dataVariable]: folder.data };
  const mocha = spawn(process.execPath, [mochaProgram, ...words], {
    // Its processes are a group that one signal ends.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    cwd: projectFolder,
    env: { ...environment, ...process.env, ...compileCache(), ...folders },
  });
  const group = -(mocha.pid ?? Number.NaN);
  let received: NodeJS.Signals | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      // npm forwards a signal that the terminal has sent to all processes.
      if (!received) sendSignal(group, 'SIGTERM');
      received ??= signal;
    });
  const [code] = await once(mocha, 'exit');
  for (let waited = 0; received && waited < grace && sendSignal(group, 0); waited += 50) await pause(50);
  sendSignal(group, 'SIGKILL');
  await folder.remove();
  return received ? 128 + constants.signals[received] : (code ?? 1);
}

/** Runs a program in the terminal, and resolves with its exit code. */
async function runProgram(program: string, words: readonly string[]): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', cwd: projectFolder });
  // A terminal sends its signals to both processes.
  for (const signal of signals) process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

const prepare = async ({ prepare: command }: { readonly prepare?: string }) =>
  command === undefined ? 0 : runProgram('sh', ['-c', command]);

/** The tests start the same programs thousands of times. Coverage is exact only without this cache. */
function compileCache(): NodeJS.ProcessEnv {
  const compiled = join(projectFolder, 'node_modules/.cache/compiled');
  const { NODE_COMPILE_CACHE = compiled, NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE ? {} : { NODE_COMPILE_CACHE };
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
