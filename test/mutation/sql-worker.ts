/*
 * Runs tests of one mutant after the other. To start a process for each would take more time than the tests: only the
 * modules of the project are loaded anew, by a number that is added to their addresses.
 */
import './sql-mutant.ts';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';

const projectFolder = join(import.meta.dirname, '../..');
const project = pathToFileURL(projectFolder).href;
const stripped = new Map<string, string>();
let number = 0;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isOurs = found.url.startsWith(project) && !found.url.includes('/node_modules/');
    return isOurs ? { ...found, url: `${found.url}?mutant=${number}` } : found;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    if (loaded.format !== 'module-typescript') return loaded;
    const typed = String(loaded.source);
    const source = stripped.get(typed) ?? stripTypeScriptTypes(typed);
    stripped.set(typed, source);
    return { format: 'module', source };
  },
});

/** What a worker is asked: which tests, in which order, until one fails. */
export interface Asked {
  readonly number: number;
  /** The change, as JSON. */
  readonly mutant: string;
  readonly tests: readonly string[];
}

export interface Answer {
  readonly outcome: 'noticed' | 'survived' | 'not accepted';
  readonly title?: string;
  /** An error that no test awaited, which may be of a mutant before. */
  readonly isUncaught?: boolean;
  /** How long each file took, in milliseconds; the last one is what noticed the mutant. */
  readonly times: Record<string, number>;
}

interface Failure {
  readonly title: string;
  readonly isUncaught: boolean;
}

async function failureOf(file: string, afterAll: () => Promise<void>): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  class Reporter {
    constructor(runner: Mocha.Runner) {
      runner.on('fail', (test, error) => {
        failure ??= { title: `${test.fullTitle()}: ${error.message}`, isUncaught: 'uncaught' in error };
      });
    }
  }
  // Two sessions find what three do.
  const mocha = new Mocha({
    bail: true,
    timeout: 60_000,
    grep: 'three sessions',
    reporter: Reporter as never,
  });
  mocha.invert();
  mocha.rootHooks({ afterAll });
  mocha.suite.emit('pre-require', globalThis, file, mocha);
  await import(join(projectFolder, 'test', file));
  await new Promise<void>((resolve) => mocha.run(() => resolve()));
  mocha.dispose();
  return failure;
}

async function answerTo(asked: Asked): Promise<Answer> {
  number = asked.number;
  process.env.SQL_MUTANT = asked.mutant;
  process.env.TEST_TEMPLATE = `mutant_${number}`;
  const { dropDatabases, dropTemplate, makeTemplate, stopDatabaseServer } = await import(
    '../support/database/database-server.ts'
  );
  const times: Record<string, number> = {};
  try {
    const refusal = await makeTemplate().catch((error: Error) => error.message);
    if (refusal !== undefined) return { outcome: 'not accepted', title: refusal, times };
    for (const file of asked.tests) {
      const from = performance.now();
      const failure = await failureOf(file, dropDatabases);
      times[file] = Math.round(performance.now() - from);
      if (failure) return { outcome: 'noticed', ...failure, times };
    }
    return { outcome: 'survived', times };
  } finally {
    await dropTemplate();
    await stopDatabaseServer();
  }
}

process.on('message', async (asked: Asked) => process.send?.(await answerTo(asked)));
// When the run has gone, its workers go.
process.once('disconnect', () => process.exit(1));
