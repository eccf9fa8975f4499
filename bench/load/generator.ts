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
  /** Arrivals a second, whatever the answers take; without it each connection asks as soon as it is answered. */
  readonly rate?: number | undefined;
  /** With a rate: what arrives while no connection is free is not sent, instead of late. */
  readonly isBounded?: boolean;
}

/** In a process of its own, so that it measures nothing but the service; on PostgreSQL's core. */
export interface LoadGenerator {
  readonly name: string;
  carryOut(asking: Asking): Promise<Answers>;
}

/** wrk where it is installed, which is the cheapest, but for a fixed rate of arrivals; else ours. */
export async function openLoadGenerator(seed: Seed, cleanup: Cleanup): Promise<LoadGenerator> {
  const wrk = wrkVersion();
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const written = new Set<string>();
  /** Numbers of requests that have been used up: no address comes twice. */
  let before = 0;

  return {
    name: wrk ?? 'the generator of load/own-generator.ts',
    async carryOut({ port, load, seconds, rate, isBounded = false }) {
      const file = join(folder, load.asks);
      if (!written.has(load.asks)) {
        const plan = planFor(load, seed);
        await writeFile(`${file}.lua`, asLua(plan));
        await writeFile(`${file}.json`, JSON.stringify(plan));
        written.add(load.asks);
      }
      const amount = ['--threads', '1', '--connections', `${load.connections}`, '--duration', `${seconds}s`];
      const how = ['--timeout', '15s', '--script', beside('load.lua'), `http://127.0.0.1:${port}`];
      const numbers = [before, port, load.connections, seconds, ...(rate ? [rate] : [])].map(String);
      if (isBounded) numbers.push('bounded');
      const words =
        wrk && !rate
          ? ['wrk', ...amount, ...how, '--', `${file}.lua`, String(before)]
          : [process.execPath, beside('own-generator.ts'), `${file}.json`, ...numbers];
      const answers = await generatorLine(words, cleanup);
      for (const made of Object.values(answers.made)) before += made;
      return answers;
    },
  };
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
