import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { projectFolder } from '../workspace.ts';

export { projectFolder };

export const main = `${projectFolder}packages/app/src/main.ts`;
const { scripts } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));
/** Node's options in `npm start`. */
export const nodeOptions: readonly string[] =
  /exec node (.+) packages\/app\/src\/main\.ts$/.exec(scripts.start)?.[1]?.split(' ') ?? [];

type Environment = Readonly<Record<string, string | undefined>>;

/** Passes only those variables of our environment that do not configure the service. */
export function environment(settings: Environment): Record<string, string> {
  const { PATH, HOME, NODE_V8_COVERAGE, NODE_COMPILE_CACHE } = process.env;
  const kept: Environment = { PATH, HOME, NODE_V8_COVERAGE, NODE_COMPILE_CACHE };
  return JSON.parse(JSON.stringify({ ...kept, PORT: '0', OPS_PORT: '0', ...settings }));
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly event?: string };

export interface Done {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A program, as its standard output and standard error show it. */
export abstract class Speaker {
  output = '';
  errors = '';
  abstract readonly ended: Promise<{ readonly code: number | null }>;
  #isOver = false;
  #heard: (() => void)[] = [];

  protected hear(which: 'output' | 'errors', text: string): void {
    this[which] += text;
    for (const wake of this.#heard.splice(0)) wake();
  }

  /** After the last text. */
  protected over(): void {
    this.#isOver = true;
    this.hear('output', '');
  }

  /** The text on the screen, without control sequences. */
  get screen(): string {
    return `${this.output}${this.errors}`.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  }

  async shows(what: string | RegExp): Promise<void> {
    const isShown = () => (typeof what === 'string' ? this.screen.includes(what) : what.test(this.screen));
    await this.says(() => isShown() || undefined);
  }

  async done(): Promise<Done> {
    const { code } = await this.ended;
    return { code, output: this.output, errors: this.errors };
  }

  /** Resolves with the first value that `find` returns. Rejects if the program ends before. */
  async says<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#isOver) throw new Error(`the program has ended:\n${this.output}\n${this.errors}`);
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
}

export class RunningProcess extends Speaker {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(child: ChildProcess) {
    super();
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.hear('output', text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.hear('errors', text));
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.over();
      return { code, signal };
    });
  }

  get log(): LogLine[] {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line));
  }

  event(name: string): Promise<LogLine> {
    return this.says(() => this.log.find((line) => line.event === name));
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM') {
    this.child.kill(signal);
    return this.ended;
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process that does not outlive the tests. */
export function endedByTests(child: ChildProcess): RunningProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return new RunningProcess(child);
}

/** Ends the processes that a test left running. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill('SIGKILL') && once(child, 'exit')));
}

export function start(command: string, args: readonly string[], settings: Environment, cwd = projectFolder) {
  const env = environment(settings);
  return endedByTests(spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Resolves with the standard output of the program. @throws Error if the program fails */
export async function outputOf(running: RunningProcess): Promise<string> {
  const { code, output, errors } = await running.done();
  if (code !== 0) throw new Error(`the program has ended with ${code}:\n${output}\n${errors}`);
  return output;
}

export const startService = (settings: Environment, args: readonly string[] = []): RunningProcess =>
  start(process.execPath, [...nodeOptions, main, ...args], settings);

export type Listening = Awaited<ReturnType<typeof listeningService>>;

export async function listeningService(settings: Environment) {
  const process = startService(settings);
  const { port, opsPort } = await process.event('listening');
  return { process, base: `http://127.0.0.1:${port}`, ops: `http://127.0.0.1:${opsPort}` };
}

/** The campaign and the key in the call that a start with DEMO=on prints. */
export const demonstration = (process: RunningProcess) =>
  process.says(() => {
    const [, campaign, key = ''] = /campaign\/(\d+)\/mirror.* Bearer (cm_\w+)'/.exec(process.output) ?? [];
    return campaign === undefined ? undefined : { campaign: Number(campaign), key };
  });

/** Two services that share a port and a database; `another` adds one. */
export async function sharingServices(settings: Environment) {
  const PORT = String(await freePort());
  const services: Listening[] = [];
  const another = async () => {
    const service = await listeningService({ ...settings, PORT, REUSE_PORT: 'on' });
    services.push(service);
    return service;
  };
  for (let number = 0; number < 2; number++) await another();
  return { base: `http://127.0.0.1:${PORT}`, services, another };
}

export const eventsOf = (process: RunningProcess, name: string): LogLine[] =>
  process.log.filter(({ event }) => event === name);
