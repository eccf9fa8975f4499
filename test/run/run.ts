import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataVariable, runFolder, tell } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { filesOf, programs, suites } from './suites.ts';

const mochaProgram = join(projectFolder, 'node_modules/mocha/bin/mocha.js');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long those who are asked to end may take, in milliseconds. */
const farewell = 10_000;

/** `[--suite SUITE] [FILE…] [OPTIONS OF MOCHA…]`: the files of a suite, or those that are named. */
async function run(words: readonly string[]): Promise<number> {
  const at = words.indexOf('--suite');
  const name = at === -1 ? 'core' : (words[at + 1] ?? '');
  const given = at === -1 ? words : words.toSpliced(at, 2);
  const program = programs[name];
  if (program)
    return (await prepared(program.prepare)) || ended(process.execPath, [...program.words, ...given]);
  const suite = suites[name];
  const known = [...Object.keys(suites), ...Object.keys(programs)].join(', ');
  if (!suite) throw new Error(`there is no suite ${name}: ${known}`);
  const ofSuite = filesOf(suite).map((file) => `test/${file}.test.ts`);
  const named = given.filter((word) => word.endsWith('.test.ts'));
  const absent = named.filter((file) => !existsSync(file));
  if (absent.length > 0) throw new Error(`there is no file ${absent.join(', ')}`);
  const files = named.length > 0 ? named : ofSuite;
  const options = given.filter((word) => !named.includes(word));
  const jobs = suite.oneByOne ? 1 : Math.min(files.length, Math.max(availableParallelism(), 2), 4);
  if (jobs > 1) options.unshift('--parallel', '--jobs', String(jobs));
  if (suite.timeout !== undefined) options.unshift('--timeout', String(suite.timeout));
  return (await prepared(suite.prepare)) || supervised([...options, ...files], suite.environment);
}

/** Whatever mocha comes to, nothing that it started is left. */
async function supervised(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const folder = await runFolder();
  const folders = { TMPDIR: folder.path, [dataVariable]: folder.data };
  const mocha = spawn(process.execPath, [mochaProgram, ...words], {
    // A group of its own, to end all that belongs to it.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    cwd: projectFolder,
    env: { ...environment, ...process.env, ...compileCache(), ...folders },
  });
  const group = -(mocha.pid ?? Number.NaN);
  let told: NodeJS.Signals | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      // npm passes on what the terminal has said to all.
      if (!told) tell(group, 'SIGTERM');
      told ??= signal;
    });
  const [code] = await once(mocha, 'exit');
  for (let waited = 0; told && waited < farewell && tell(group, 0); waited += 50) await pause(50);
  tell(group, 'SIGKILL');
  await folder.remove();
  return told ? 128 + constants.signals[told] : (code ?? 1);
}

/** The exit code of a program in our place. A terminal tells its signals to both of us. */
async function ended(program: string, words: readonly string[]): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', cwd: projectFolder });
  for (const signal of signals) process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

const prepared = async (command?: string) => (command === undefined ? 0 : ended('sh', ['-c', command]));

/** Some thousand processes load the same programs. What a run covers is told exactly without it. */
function compileCache(): NodeJS.ProcessEnv {
  const compiled = join(projectFolder, 'node_modules/.cache/compiled');
  const { NODE_COMPILE_CACHE = compiled, NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE ? {} : { NODE_COMPILE_CACHE };
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
