// `npm test -- --suite mutation sql [WORDS]`: changes the SQL in the sources in small ways, one at a time, and shows the
// changes that no test notices. WORDS choose mutants by `file:line`, and `3/10` the third of ten parts. Ends with 1 below 95 %.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sendSignal } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { equivalent } from './sql-equivalent.ts';
import { notAccepted } from './sql-hooks.ts';
import { type Mutant, sqlMutants } from './sql-mutants.ts';

const bar = 95;
/** What became of each mutant, one a line. */
const report = join(projectFolder, 'coverage/mutation-sql.jsonl');
/** How long the tests of one mutant may take, in milliseconds: one that hangs is noticed. */
const limit = 600_000;

const sources = 'packages/adapters-persistence/src';
const contracts = 'contracts/port-contracts.test.ts';
const permutations = 'permutations/permutations.test.ts';
const hotPath = 'postgres/{atomicity,statements}.test.ts hot-path/!(unreplicated).test.ts';

/**
 * What is changed, and the tests that are to notice it: those first that take the least time, then those that noticed most
 * so far.
 */
const targets: readonly { readonly files: string; readonly tests: string }[] = [
  {
    files: 'schema/set-mirrors.ts',
    tests: `postgres/audit.test.ts schema/{rights,refusals,times}.test.ts hot-path/{claims,conditions,look-ups,waiting,locked,members}.test.ts
      postgres/atomicity.test.ts commands/{mirror-set,history}.test.ts ${permutations} ${contracts} commands/move.test.ts`,
  },
  {
    files: 'schema/feed.ts',
    tests: `schema/{rights,migration-locks}.test.ts ${permutations} feed/*.test.ts`,
  },
  {
    files: 'schema/history-functions.ts',
    tests: `schema/{rights,refusals}.test.ts commands/history-prune.test.ts ${permutations}`,
  },
  {
    files: 'schema/{audit-triggers,mirror-triggers,key-uses}.ts',
    tests: `postgres/{audit,table-constraints}.test.ts schema/{rights,refusals,addresses,comebacks,times,key-locks}.test.ts
      hot-path/key-uses.test.ts commands/{audit,history}.test.ts ${permutations} commands/import-export.test.ts ${contracts}`,
  },
  {
    files: 'schema/{tables,enforced}.ts',
    tests: `postgres/{table-constraints,audit}.test.ts schema/{rights,refusals,enforced,comebacks,upgrade}.test.ts
      service/sequences.test.ts ${permutations} commands/{audit,move}.test.ts ${contracts}`,
  },
  { files: '{statements,hot-path}/*.ts', tests: `${hotPath} ${contracts}` },
  {
    files: 'operator/*.ts',
    tests: `commands/{mirror-set,history,history-prune,audit}.test.ts ${contracts} commands/{move,keys,campaigns,lists}.test.ts`,
  },
];

const filesOf = (folder: string, patterns: string) =>
  patterns.split(/\s+/).flatMap((pattern) => globSync(pattern, { cwd: join(projectFolder, folder) }).sort());

interface Placed extends Mutant {
  readonly path: string;
  readonly place: string;
  /** The line as it is, and as the mutant has it. */
  readonly line: string;
  readonly mutated: string;
  readonly tests: string[];
}

function placed(path: string, mutant: Mutant, source: string, tests: string[]): Placed {
  const { at, length, text } = mutant;
  const start = source.lastIndexOf('\n', at - 1) + 1;
  const end = source.indexOf('\n', at + length);
  const tidy = (line: string) => line.replace(/\s+/g, ' ').trim();
  const line = tidy(source.slice(start, end));
  const mutated = tidy(source.slice(start, at) + text + source.slice(at + length, end));
  const number = source.slice(0, at).split('\n').length;
  return { ...mutant, path, place: `${path.slice(sources.length + 1)}:${number}`, line, mutated, tests };
}

function mutantsOf({ files, tests }: (typeof targets)[number]): Placed[] {
  const named = filesOf('test', tests);
  return filesOf(sources, files).flatMap((file) => {
    const path = `${sources}/${file}`;
    const source = readFileSync(join(projectFolder, path), 'utf8');
    return sqlMutants(source).map((mutant) => placed(path, mutant, source, named));
  });
}

type Outcome = 'noticed' | 'survived' | 'not accepted';
const running = new Set<number>();
let ended = false;

/** Runs the tests until one fails. Returns the name of that file, too. */
async function outcomeOf(
  mutant: Pick<Placed, 'at' | 'length' | 'text' | 'path'>,
  tests: readonly string[],
  nth: number,
) {
  const { path, at, length, text } = mutant;
  const hook = join(projectFolder, 'test/mutation/sql-mutant.ts');
  const options = [
    '--no-config',
    '--extension',
    'ts',
    '--exit',
    '--bail',
    '--timeout',
    '60000',
    '--reporter',
    'json',
  ];
  // Two sessions find what three do.
  options.push('--grep', 'three sessions', '--invert');
  const words = [
    ...options,
    '--require',
    './test/mutation/sql-hooks.ts',
    ...tests.map((file) => `test/${file}`),
  ];
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...words], {
    cwd: projectFolder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${hook}`,
      SQL_MUTANT: JSON.stringify({ path: join(projectFolder, path), at, length, text }),
      TEST_TEMPLATE: `mutant_${nth}`,
      PERMUTATIONS: 'few',
    },
  });
  const group = mocha.pid ?? Number.NaN;
  running.add(group);
  let output = '';
  mocha.stdout.setEncoding('utf8').on('data', (piece) => {
    output += piece;
  });
  const tooLong = setTimeout(() => sendSignal(-group, 'SIGKILL'), limit);
  const [code] = await once(mocha, 'close');
  clearTimeout(tooLong);
  sendSignal(-group, 'SIGKILL');
  running.delete(group);
  let outcome: Outcome = 'noticed';
  if (code === 0) outcome = 'survived';
  if (code === notAccepted) outcome = 'not accepted';
  const failures = output.slice(output.indexOf('"failures": ['));
  const said = (name: string) => new RegExp(`"${name}": (".*")`).exec(failures)?.[1];
  const title = code === null ? 'it took too long' : `${said('fullTitle')}: ${said('message')}`;
  return { outcome, title, by: tests.find((file) => failures.includes(`/test/${file}"`)) };
}

/** For `mutation.ts`, which has the server started: whether enough is noticed. */
export async function sqlIsNoticed(words: readonly string[]): Promise<boolean> {
  const [, part = 0, parts = 1] = /^(\d+)\/(\d+)$/.exec(words.at(-1) ?? '') ?? [];
  const named = words.filter((word) => !/^\d+\/\d+$/.test(word));
  const mutants = targets
    .flatMap(mutantsOf)
    .filter(({ place }) => named.every((word) => place.includes(word)))
    .filter((_, nth) => (nth + 1 - Number(part)) % Number(parts) === 0);
  const noticedBy = new Map<string, number>();
  const counts = { noticed: 0, survived: 0, 'not accepted': 0, equivalent: 0 };
  const from = performance.now();
  await mkdir(dirname(report), { recursive: true });
  await writeFile(report, '');
  let taken = 0;
  const nothing = { path: '', at: 0, length: 0, text: '' };
  const used = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const unchanged = await outcomeOf(nothing, used, mutants.length);
  if (unchanged.outcome !== 'survived') throw new Error(`a test fails without a mutant: ${unchanged.title}`);
  const worker = async () => {
    while (taken < mutants.length && !ended) {
      const nth = taken++;
      const one = mutants[nth] as Placed;
      const tests = one.tests.toSorted((a, b) => (noticedBy.get(b) ?? 0) - (noticedBy.get(a) ?? 0));
      const { outcome, by, title } = await outcomeOf(one, tests, nth);
      if (ended) return;
      if (by && outcome === 'noticed') noticedBy.set(by, (noticedBy.get(by) ?? 0) + 1);
      const reason = equivalent[basename(one.path)]?.[one.mutated];
      if (outcome === 'survived' && reason) counts.equivalent += 1;
      else counts[outcome] += 1;
      if (outcome === 'noticed' && reason)
        console.log(`${one.place}: noticed, though it is said to change nothing: ${title}`);
      await appendFile(report, `${JSON.stringify({ ...one, tests: undefined, outcome, title })}\n`);
      if (outcome === 'survived' || nth % 25 === 24)
        console.log(
          `${nth + 1} of ${mutants.length}, ${Math.round((performance.now() - from) / 1000)} s: ${JSON.stringify(counts)}`,
        );
      if (outcome === 'survived')
        console.log(`${one.place}\n  - ${one.line}\n  + ${one.mutated}\n  ${reason ?? 'not noticed'}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  const score = (100 * counts.noticed) / (counts.noticed + counts.survived);
  console.log(`${mutants.length} changes of SQL: ${JSON.stringify(counts)}, ${score.toFixed(1)} % noticed`);
  return !ended && score >= bar;
}

export function endSql(): void {
  ended = true;
  for (const group of running) sendSignal(-group, 'SIGKILL');
}
