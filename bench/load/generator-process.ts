import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Cleanup } from '../processes/cleanup.ts';
import { cpuOfEndedChildren } from '../processes/process-figures.ts';

/** What came of a round, as the load generator prints it: a line of JSON. */
export interface Answers {
  /** How many were answered. */
  readonly requests: number;
  readonly seconds: number;
  /** Latencies, in milliseconds; with a fixed rate of arrivals only those beyond p99, and refusals left out. */
  readonly p50: number;
  readonly p99: number;
  readonly p999?: number;
  /** Answers by their status. */
  readonly answered: Readonly<Record<string, number>>;
  /** Requests by the status that is right; those under way at the end were made and not answered. */
  readonly made: Readonly<Record<string, number>>;
  /** What arrived while no connection was free, and was not sent. */
  readonly heldBack?: number;
  /** How often anything else happened, by what it was. */
  readonly errors: Readonly<Record<string, number>>;
  /** Its own CPU time, in microseconds; undefined where it cannot be told. */
  readonly cpu?: number | undefined;
}

/** Runs a load generator to its end. @throws Error when it says nothing that can be read */
export async function generatorLine(words: readonly string[], cleanup: Cleanup): Promise<Answers> {
  const [command = '', ...rest] = words;
  const before = cpuOfEndedChildren();
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const forget = cleanup.add(async () => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = await ended;
  forget();
  const after = cpuOfEndedChildren();
  const line = output.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !line.startsWith('{')) throw new Error(`the load generator failed (${code}): ${output}`);
  const cpu = before === undefined || after === undefined ? undefined : after - before;
  const answers: Answers = JSON.parse(line);
  return { ...answers, cpu: answers.cpu ?? cpu };
}
