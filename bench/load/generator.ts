import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AccessKey } from '@campaign-mirror/domain';
import type { Seed } from '../database/seed.ts';
import { type Cleanup, temporaryFolder } from '../machine/machine.ts';
import { type Load, type Plan, planFor } from './plan.ts';

/** The result of a round, as `load.lua` prints it: a line of JSON. */
export interface Answers {
  /** How many requests were answered. */
  readonly requests: number;
  readonly seconds: number;
  /** Latency in milliseconds. */
  readonly p99: number;
  /** Counts by status. */
  readonly answered: Readonly<Record<string, number>>;
  /** Counts of other events, by what they were. */
  readonly errors: Readonly<Record<string, number>>;
}

export type LoadGenerator = Awaited<ReturnType<typeof openLoadGenerator>>;

/** wrk, a process on PostgreSQL's core. @throws Error if it is not installed */
export async function openLoadGenerator(seed: Seed, keys: readonly AccessKey[], cleanup: Cleanup) {
  const { stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  const version = /^wrk \D*([0-9.]+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) throw new Error('install wrk, such as by apt-get install wrk');
  const folder = await temporaryFolder(cleanup);
  const keyFile = join(folder, 'keys');
  await writeFile(keyFile, keys.join(''));
  /** Numbers of requests that were used. */
  let before = 0;
  return {
    name: `wrk ${version}`,
    /** `sent`: how many requests the service has received before, for loads with new keys. */
    async send(port: number, load: Load, seconds: number, sent = 0): Promise<Answers> {
      const plan = planFor(seed, load, keyFile);
      const answers = await wrk(folder, plan, port, load.connections, seconds, plan.keyFile ? sent : before);
      before += answers.requests + load.connections + 1;
      return answers;
    },
  };
}

/** Runs wrk with this plan. `before`: the number of requests before. @throws Error if it prints no result */
export async function wrk(
  folder: string,
  { keys, ...plan }: Plan,
  port: number,
  connections: number,
  seconds: number,
  before = 0,
): Promise<Answers> {
  const file = join(folder, `plan-${port}`);
  // A string of JSON in ASCII is a string of Lua.
  const fields = Object.entries(plan).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const list = keys.map((key) => JSON.stringify(key)).join(',\n');
  await writeFile(file, `return { ${fields.join(', ')}, keys = {${list}} }\n`);
  const words = `--threads 1 --connections ${connections} --duration ${seconds}s --timeout 15s`.split(' ');
  const place = ['--script', join(import.meta.dirname, 'load.lua'), `http://127.0.0.1:${port}`, '--', file];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn('wrk', [...words, ...place, String(before)], { stdio: [...stdio] });
  const ended = once(child, 'close');
  const output = await text(child.stdout as NodeJS.ReadableStream);
  const [code] = await ended;
  const line = output.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !line.startsWith('{')) throw new Error(`the load generator failed (${code}): ${output}`);
  return JSON.parse(line);
}

/** The results of a round other than answers of these statuses. */
export const answerFaults = ({ answered, errors }: Answers, ...statuses: readonly string[]): string[] =>
  [...Object.entries(answered), ...Object.entries(errors)]
    .filter(([what, count]) => count > 0 && !statuses.includes(what))
    .map(([what, count]) => `${what}, ${count} times`);
