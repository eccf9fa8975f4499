import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';

/** Debian's Redis, on a port and in a folder of its own. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: readonly string[];
  #process: RunningProcess;

  private constructor(port: number, folder: string, options: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    this.#process = this.#run();
  }

  /** `options` as of its command line. Without `--port` among them it speaks plainly. */
  static async start(options: (port: number) => readonly string[] = (port) => ['--port', String(port)]) {
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-redis-'));
    const server = new RedisServer(port, folder, options(port));
    await server.#ready();
    return server;
  }

  #run(): RunningProcess {
    const own = ['--bind', '127.0.0.1', '-::1', '--save', '', '--dir', this.#folder];
    return start(program('redis-server'), [...own, ...this.#options], {});
  }

  #ready(): Promise<true> {
    return this.#process.says(
      () => this.#process.output.includes('Ready to accept connections') || undefined,
    );
  }

  /** It answers nobody, and its connections stay open. */
  freeze(): void {
    this.#process.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.#process.child.kill('SIGKILL');
    await this.#process.ended;
  }

  /** On the same port, and knows nothing any more. */
  async startAgain(): Promise<void> {
    this.#process = this.#run();
    await this.#ready();
  }

  /** What redis-cli says. */
  async ask(...words: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(program('redis-cli'), ['-p', String(this.port), ...words]);
    return stdout.trim();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
