import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, globSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataVariable, runFolder, sendSignal } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { filesOf, programs, suites } from './suites.ts';

const mochaProgram = join(projectFolder, 'node_modules/mocha/bin/mocha.js');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long processes may take to end after a signal, in milliseconds. */
const farewell = 10_000;

const isFolder = (word: string) => statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;

/** `[--suite SUITE] [FILE…] [OPTIONS OF MOCHA…]` runs the files of a suite, or those that are named, also by their folder. */
async function run(words: readonly string[]): Promise<number> {
  const at = words.indexOf('--suite');
  const name = at === -1 ? 'core' : (words[at + 1] ?? '');
  const rest = at === -1 ? words : words.toSpliced(at, 2);
  const given = rest.flatMap((word) => (isFolder(word) ? globSync(`${word}/**/*.test.ts`) : word));
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
  const jobs = suite.oneByOne ? 1 : Math.min(files.length, availableParallelism() + 1, 4);
  if (jobs > 1) options.unshift('--parallel', '--jobs', String(jobs));
  const output = join(tmpdir(), `campaign-mirror-test-${name}-${process.pid}.log`);
  return (await prepared(suite.prepare)) || supervised([...options, ...files], output, suite.environment);
}

/** However mocha ends, nothing that it started is left. The output of a run that failed stays in the file `output`. */
async function supervised(
  words: readonly string[],
  output: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<number> {
  const folder = await runFolder();
  const folders = { TMPDIR: folder.path, [dataVariable]: folder.data };
  const colours = process.stdout.isTTY && { FORCE_COLOR: '1' };
  const mocha = spawn(process.execPath, [mochaProgram, ...words], {
    // A group of its own, to end all that belongs to it.
    detached: true,
    stdio: ['inherit', 'pipe', 'pipe', 'ipc'],
    cwd: projectFolder,
    env: { ...environment, ...process.env, ...colours, ...compileCache(), ...folders },
  });
  const kept = createWriteStream(output, { mode: 0o600 });
  for (const name of ['stdout', 'stderr'] as const) {
    mocha[name]?.pipe(process[name], { end: false });
    mocha[name]?.pipe(kept, { end: false });
  }
  const closed = once(mocha, 'close');
  const group = -(mocha.pid ?? Number.NaN);
  let received: NodeJS.Signals | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      // npm forwards the signal that the terminal has sent to all.
      if (!received) sendSignal(group, 'SIGTERM');
      received ??= signal;
    });
  const [code] = await once(mocha, 'exit');
  for (let waited = 0; received && waited < farewell && sendSignal(group, 0); waited += 50) await pause(50);
  sendSignal(group, 'SIGKILL');
  await Promise.race([closed, pause(farewell, undefined, { ref: false })]);
  await folder.remove();
  if (received || code === 0) rmSync(output);
  else console.error(`What this run said is in ${output}`);
  return received ? 128 + constants.signals[received] : (code ?? 1);
}

/** The exit code of a program in our place. A terminal sends its signals to both of us. */
async function ended(program: string, words: readonly string[]): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', cwd: projectFolder });
  for (const signal of signals) process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

const prepared = async (command?: string) => (command === undefined ? 0 : ended('sh', ['-c', command]));

/** Some thousand processes load the same programs. Coverage is exact only without this cache. */
function compileCache(): NodeJS.ProcessEnv {
  const compiled = join(projectFolder, 'node_modules/.cache/compiled');
  const { NODE_COMPILE_CACHE = compiled, NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE ? {} : { NODE_COMPILE_CACHE };
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
