// `npm test -- --suite mutation sql [WORDS]`: changes the SQL in the sources in small ways, one at a time, and shows the
// changes that no test notices, without those of sql-equivalent.ts. WORDS choose by `file:line`, and `3/10` the third of
// ten parts. Ends with 1 below 95 %.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sendSignal } from '../support/run-folder.ts';
import { projectFolder } from '../support/workspace.ts';
import { equivalent } from './sql-equivalent.ts';
import { type Mutant, sqlMutants } from './sql-mutants.ts';
import type { Answer, Asked } from './sql-worker.ts';

const bar = 95;
/** What became of each mutant, one a line. */
const report = join(projectFolder, 'coverage/mutation-sql.jsonl');
/** How long the tests of one mutant may take, in milliseconds: one that hangs is noticed. */
const limit = 600_000;
const hook = join(projectFolder, 'test/mutation/sql-mutant.ts');

const sources = 'packages/adapters-persistence/src';
const permutations = 'permutations/permutations.test.ts';

/**
 * What is changed, and the tests that are to notice it, at first in this order: a file that takes long may notice within a
 * second.
 */
const targets: readonly { readonly files: string; readonly tests: string }[] = [
  {
    files: 'schema/set-mirrors.ts',
    tests: `hot-path/{conditions,members,claims,waiting}.test.ts schema/{rights,refusals}.test.ts ${permutations}
      hot-path/locked.test.ts commands/{mirror-set,move}.test.ts`,
  },
  { files: 'schema/feed.ts', tests: 'feed/*.test.ts schema/upgrade.test.ts' },
  {
    files: 'schema/history-functions.ts',
    tests: 'schema/{rights,refusals}.test.ts commands/history-prune.test.ts',
  },
  {
    files: 'schema/{audit,mirror}-triggers.ts',
    tests: `schema/{rights,refusals,comebacks,times,addresses}.test.ts postgres/table-constraints.test.ts commands/{audit,keys}.test.ts
      ${permutations} commands/import-export.test.ts schema/enforced.test.ts`,
  },
  {
    files: 'schema/keys.ts',
    tests: `schema/{key-locks,rights,refusals}.test.ts hot-path/key-uses.test.ts commands/keys.test.ts
      schema/enforced.test.ts`,
  },
  {
    files: 'schema/tables.ts',
    tests: `postgres/{table-constraints,for-pages}.test.ts schema/{rights,refusals,comebacks,enforced,upgrade}.test.ts
        service/sequences.test.ts`,
  },
  {
    files: 'schema/enforced.ts',
    tests: 'postgres/table-constraints.test.ts schema/{enforced,upgrade,addresses}.test.ts',
  },
  {
    files: '{statements,hot-path}/*.ts',
    tests: 'hot-path/look-ups.test.ts contracts/port-contracts.test.ts',
  },
  { files: 'operator/access-keys.ts', tests: 'commands/keys.test.ts postgres/campaign-races.test.ts' },
  {
    files: 'operator/campaign-records.ts',
    tests: 'commands/lists.test.ts commands/{campaigns,move}.test.ts',
  },
  { files: 'operator/follow-changes.ts', tests: 'commands/{follow,follow-failover}.test.ts' },
  {
    files: 'operator/history-and-audit.ts',
    tests: 'commands/{history,history-prune,audit,move,follow-failover}.test.ts schema/comebacks.test.ts',
  },
  { files: 'operator/operator-mirrors.ts', tests: 'commands/{mirror-set,move}.test.ts' },
];

function filesOf(folder: string, patterns: string): string[] {
  return patterns.split(/\s+/).flatMap((pattern) => {
    const found = globSync(pattern, { cwd: join(projectFolder, folder) }).sort();
    if (found.length === 0) throw new Error(`${pattern} is no file in ${folder}`);
    return found;
  });
}

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

/** How many mutants a process takes: each loads the modules once more. */
const mutantsOfAProcess = 40;

/** Every time, the modules and the template have another name. */
let asks = 0;

/** Runs the tests of one mutant after the other, in a process that a mutant may end. */
class Worker {
  #process: ChildProcess | undefined;
  #taken = 0;

  async answerTo(asked: Omit<Asked, 'number'>): Promise<Answer> {
    if (this.#taken === mutantsOfAProcess) this.end();
    const isFirst = this.#taken === 0;
    const answer = await this.#ask(asked);
    // An earlier mutant may have left it behind: then it does not come again.
    if (!answer.isUncaught || isFirst) return answer;
    this.end();
    return this.#ask(asked);
  }

  end(): void {
    if (this.#process?.pid) sendSignal(-this.#process.pid, 'SIGKILL');
    this.#process = undefined;
    this.#taken = 0;
  }

  async #ask(asked: Omit<Asked, 'number'>): Promise<Answer> {
    this.#taken += 1;
    this.#process ??= fork(join(projectFolder, 'test/mutation/sql-worker.ts'), {
      cwd: projectFolder,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // What the tests start is a mutant, too.
      env: { ...process.env, NODE_OPTIONS: `--import=${hook}`, PERMUTATIONS: 'few' },
    });
    const over = new AbortController();
    const { signal } = over;
    const gone = (title: string): Answer => {
      this.end();
      return { outcome: 'noticed', title, times: {} };
    };
    try {
      this.#process.send({ ...asked, number: ++asks });
      return await Promise.race([
        once(this.#process, 'message', { signal }).then(([said]): Answer => said),
        once(this.#process, 'exit', { signal }).then(() => gone('the process ended')),
        pause(limit, undefined, { signal }).then(() => gone('it took too long')),
      ]);
    } finally {
      over.abort();
    }
  }
}

const workers = Array.from({ length: availableParallelism() }, () => new Worker());
let ended = false;

/** For `mutation.ts`, which has the server started: whether enough is noticed. */
export async function sqlIsNoticed(words: readonly string[]): Promise<boolean> {
  const [, part = 0, parts = 1] = /^(\d+)\/(\d+)$/.exec(words.at(-1) ?? '') ?? [];
  const named = words.filter((word) => !/^\d+\/\d+$/.test(word));
  const all = targets.flatMap(mutantsOf);
  const known = new Set(all.map(({ path, mutated }) => `${basename(path)}: ${mutated}`));
  const gone = Object.entries(equivalent)
    .flatMap(([file, lines]) => Object.keys(lines).map((line) => `${file}: ${line}`))
    .filter((line) => !known.has(line));
  if (gone.length > 0) throw new Error(`sql-equivalent.ts has what no change makes: ${gone.join('\n')}`);
  const isEquivalent = ({ path, mutated }: Placed) => mutated in (equivalent[basename(path)] ?? {});
  const mutants = all
    .filter((one) => !isEquivalent(one))
    .filter(({ place }) => named.length === 0 || named.some((word) => place.includes(word)))
    .filter((_, nth) => (nth + 1 - Number(part)) % Number(parts) === 0);
  if (mutants.length === 0) throw new Error(`no change of SQL is at ${words.join(' ')}`);
  const counts = { noticed: 0, survived: 0, 'not accepted': 0 };
  const from = performance.now();
  await mkdir(dirname(report), { recursive: true });
  await writeFile(report, '');
  /** Of a file of SQL and one of tests: how many mutants this noticed in a millisecond. */
  const spent = new Map<string, { time: number; noticed: number }>();
  const worth = (pair: string) => (spent.get(pair)?.noticed ?? 0) / (spent.get(pair)?.time ?? 1);
  /** What passes without a mutant, in a process that has had others. */
  const sound = new Set<string>();
  let taken = 0;
  const work = async (worker: Worker) => {
    while (taken < mutants.length && !ended) {
      const number = taken++;
      const { tests, ...one } = mutants[number] as Placed;
      const mutant = JSON.stringify({ ...one, path: join(projectFolder, one.path) });
      const ordered = tests.toSorted((a, b) => worth(one.path + b) - worth(one.path + a));
      const { outcome, title, times } = await worker.answerTo({ mutant, tests: ordered });
      const by = outcome === 'noticed' ? Object.keys(times).at(-1) : undefined;
      if (by && !sound.has(by)) {
        const unchanged = await worker.answerTo({ mutant: '{}', tests: [by] });
        if (unchanged.outcome !== 'survived' && !ended)
          throw new Error(`without a mutant: ${unchanged.title}`);
        sound.add(by);
      }
      if (ended) return;
      for (const [file, time] of Object.entries(times)) {
        const before = spent.get(one.path + file) ?? { time: 0, noticed: 0 };
        spent.set(one.path + file, {
          time: before.time + time,
          noticed: before.noticed + Number(file === by),
        });
      }
      counts[outcome] += 1;
      await appendFile(report, `${JSON.stringify({ ...one, outcome, title, times })}\n`);
      if (outcome === 'survived' || number % 25 === 24)
        console.log(
          `${number + 1} of ${mutants.length}, ${Math.round((performance.now() - from) / 1000)} s: ${JSON.stringify(counts)}`,
        );
      if (outcome === 'survived') console.log(`${one.place}\n  - ${one.line}\n  + ${one.mutated}`);
    }
    worker.end();
  };
  await Promise.all(workers.map(work));
  const score = (100 * counts.noticed) / (counts.noticed + counts.survived);
  console.log(`${mutants.length} changes of SQL: ${JSON.stringify(counts)}, ${score.toFixed(1)} % noticed`);
  console.log(`${all.filter(isEquivalent).length} more of all change nothing that can be noticed`);
  return !ended && score >= bar;
}

export function endSql(): void {
  ended = true;
  for (const worker of workers) worker.end();
}
