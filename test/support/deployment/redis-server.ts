import { freePort } from '../free-port.ts';
import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';

/** Debian's Redis, on a port of its own, with nothing on the disk. */
export class RedisServer {
  readonly port: number;
  process: RunningProcess;
  readonly #options: readonly string[];

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
    this.process = this.#run();
  }

  /** `options` as of its command line. Without `--port` among them it speaks plainly. */
  static async start(options: (port: number) => readonly string[] = (port) => ['--port', String(port)]) {
    const port = await freePort();
    const server = new RedisServer(port, options(port));
    await server.#ready();
    return server;
  }

  #run(): RunningProcess {
    const own = ['--bind', '127.0.0.1', '-::1', '--save', ''];
    return start(program('redis-server'), [...own, ...this.#options], {});
  }

  #ready(): Promise<true> {
    return this.process.says(() => this.process.output.includes('Ready to accept connections') || undefined);
  }

  /** On the same port, and knows nothing any more. */
  async startAgain(): Promise<void> {
    this.process = this.#run();
    await this.#ready();
  }
}
