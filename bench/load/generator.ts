import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seed } from '../databases/seed.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import { type Answers, generatorLine } from './generator-process.ts';
import type { Load } from './load.ts';
import { asLua } from './lua.ts';
import { planFor } from './plan.ts';

export interface Asking {
  readonly port: number;
  readonly load: Load;
  readonly seconds: number;
}

/** In a process of its own, so that it measures nothing but the service; on PostgreSQL's core. */
export interface LoadGenerator {
  readonly name: string;
  /** Each connection asks as soon as it is answered. */
  carryOut(asking: Asking): Promise<Answers>;
  /** At a fixed rate of arrivals, whatever the answers take. */
  carryOutAt(rate: number, asking: Asking): Promise<Answers>;
}

/** wrk where it is installed, which is the cheapest, else autocannon; or the one that is wanted. */
export async function openLoadGenerator(
  seed: Seed,
  cleanup: Cleanup,
  wanted?: 'wrk' | 'autocannon',
): Promise<LoadGenerator> {
  const wrk = wanted === 'autocannon' ? undefined : wrkVersion();
  if (wanted === 'wrk' && !wrk) throw new Error('wrk is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const written = new Set<string>();
  /** Numbers of requests that have been used up: no address comes twice. */
  let before = 0;

  async function run(words: (plan: string) => string[], load: Load): Promise<Answers> {
    const file = join(folder, load.asks);
    if (!written.has(load.asks)) {
      const plan = planFor(load, seed);
      await writeFile(`${file}.lua`, asLua(plan));
      await writeFile(`${file}.json`, JSON.stringify(plan));
      written.add(load.asks);
    }
    const answers = await generatorLine(words(file), cleanup);
    for (const made of Object.values(answers.made)) before += made;
    return answers;
  }
  const program = (script: string, { port, load, seconds }: Asking, ...more: number[]) => {
    const numbers = [before, port, load.connections, seconds, ...more].map(String);
    return (plan: string) => [process.execPath, beside(script), `${plan}.json`, ...numbers];
  };
  return {
    name: wrk ?? 'autocannon',
    carryOut: (asking) =>
      run(
        wrk ? (plan) => wrkCommand(asking, `${plan}.lua`, before) : program('autocannon-load.ts', asking),
        asking.load,
      ),
    carryOutAt: (rate, asking) => run(program('open-loop.ts', asking, rate), asking.load),
  };
}

function wrkCommand({ port, load, seconds }: Asking, plan: string, before: number): string[] {
  const amount = ['--threads', '1', '--connections', String(load.connections), '--duration', `${seconds}s`];
  const how = ['--timeout', '15s', '--script', beside('load.lua')];
  return ['wrk', ...amount, ...how, `http://127.0.0.1:${port}`, '--', plan, String(before)];
}

/** Such as `wrk 4.1.0`; undefined where it is not installed. */
function wrkVersion(): string | undefined {
  const { stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  const version = /^wrk \D*([0-9.]+)/.exec(stdout ?? '')?.[1];
  return version && `wrk ${version}`;
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
