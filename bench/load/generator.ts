import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AccessKey } from '@campaign-mirror/domain';
import type { Seed } from '../database/seed.ts';
import { type Cleanup, temporaryFolder } from '../machine/run.ts';
import { asLua, hasKeyEach, type Load, planFor } from './plan.ts';

export interface Asking {
  readonly port: number;
  readonly load: Load;
  readonly seconds: number;
  /** Arrivals a second, whatever the answers take; without it each connection asks as soon as it is answered. */
  readonly rate?: number | undefined;
  /** How many requests the service has got before; needed where each comes with a key of its own. */
  readonly asked?: number;
}

/** What came of a round, as a load generator prints it: a line of JSON. */
export interface Answers {
  /** How many were answered. */
  readonly requests: number;
  readonly seconds: number;
  /** Latencies in milliseconds; with a rate, without those of refusals. */
  readonly p99: number;
  /** By their status. */
  readonly answered: Readonly<Record<string, number>>;
  /** How often anything else happened, by what it was. */
  readonly errors: Readonly<Record<string, number>>;
  /** What arrived while no connection was free, and was not sent. */
  readonly heldBack?: number;
}

export type LoadGenerator = Awaited<ReturnType<typeof openLoadGenerator>>;

/**
 * wrk, which is the cheapest; ours for a fixed rate of arrivals. Each in a process of its own, on PostgreSQL's core.
 * @throws Error if wrk is not installed
 */
export async function openLoadGenerator(seed: Seed, keys: readonly AccessKey[], cleanup: Cleanup) {
  const { stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  const version = /^wrk \D*([0-9.]+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) throw new Error('install wrk, such as by apt-get install wrk');
  const folder = await temporaryFolder(cleanup);
  const [keyFile, planFile] = [join(folder, 'keys'), join(folder, 'plan')];
  await writeFile(keyFile, keys.join(''));
  /** Numbers of requests that have been used up: no address comes twice. */
  let before = 0;
  return {
    name: `wrk ${version}`,
    async carryOut({ port, load, seconds, rate, asked = 0 }: Asking): Promise<Answers> {
      const { connections } = load;
      const plan = planFor(seed, load, hasKeyEach(load) ? keyFile : undefined);
      await writeFile(planFile, rate ? JSON.stringify(plan) : asLua(plan));
      const amount = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
      const place = ['--timeout', '15s', '--script', beside('load.lua'), `http://127.0.0.1:${port}`];
      const wrk = ['wrk', ...amount, ...place, '--', planFile, String(plan.keyFile ? asked : before)];
      const answers = await (rate
        ? arrivals(planFile, before, port, connections, seconds, rate)
        : lineOf(wrk));
      before += answers.requests + connections + 1;
      return answers;
    },
  };
}

/** What `arrivals.ts` is given, in its order. */
export const arrivals = (...words: readonly unknown[]) =>
  lineOf([process.execPath, beside('arrivals.ts'), ...words.map(String)]);

const beside = (name: string) => join(import.meta.dirname, name);

/** Runs a load generator to its end. @throws Error when it says nothing that can be read */
async function lineOf([command = '', ...words]: readonly string[]): Promise<Answers> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = await ended;
  const line = output.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !line.startsWith('{')) throw new Error(`the load generator failed (${code}): ${output}`);
  return JSON.parse(line);
}

/** What else came of a round than answers of these statuses. */
export const answerFaults = ({ answered, errors }: Answers, ...statuses: readonly string[]): string[] =>
  [...Object.entries(answered), ...Object.entries(errors)]
    .filter(([what, count]) => count > 0 && !statuses.includes(what))
    .map(([what, count]) => `${what}, ${count} times`);
