import { PassThrough, Writable } from 'node:stream';
import { Interrupted } from '../../../packages/adapters-cli/src/terminal/errors.ts';
import { run } from '../../../packages/app/src/command-line/program.ts';
import { type Done, environment, projectFolder, Speaker, start } from '../process/service-process.ts';

/** The result of a command that succeeds. */
export const answered = (output: string, errors = ''): Done => ({ code: 0, output, errors });

/** The result of a command that fails and writes to standard error only. */
export const refused = (errors: string, code = 1): Done => ({ code, output: '', errors });

type Settings = Readonly<Record<string, string>>;

/** Runs `./campaign-mirror …` in this process. */
export function command(args: readonly string[], settings: Settings, input: string | Buffer = '') {
  const running = new StartedCommand(args, settings);
  running.stdin.end(input);
  return running.done();
}

/** A command in this process, whose standard input is open. With `isTTY` it asks its questions. */
export class StartedCommand extends Speaker {
  readonly stdin = new PassThrough();
  readonly ended: Promise<{ code: number; signal: null }>;
  readonly #controller = new AbortController();

  constructor(args: readonly string[], settings: Settings, isTTY = false) {
    super();
    const stream = (which: 'output' | 'errors') => {
      const write: Writable['_write'] = (text, _encoding, done) => {
        this.hear(which, String(text));
        done();
      };
      const writable = new Writable({ decodeStrings: false, write });
      // The streams of a process never end.
      return Object.assign(writable, { isTTY, columns: 1_000, end: () => writable });
    };
    const stdin = Object.assign(this.stdin, { isTTY });
    const streams = { stdin, stdout: stream('output'), stderr: stream('errors') };
    const { signal } = this.#controller;
    this.ended = run(args, { environment: environment(settings), ...streams, signal }).then((code) => {
      this.over();
      return { code, signal: null };
    });
  }

  type(text: string): void {
    this.stdin.write(text);
  }

  /** Stops the command as this signal does. */
  stop(signal: Interrupted['signal'] = 'SIGINT') {
    this.#controller.abort(new Interrupted(signal));
    return this.ended;
  }
}

/** Starts `./campaign-mirror …` as a process. */
export const commandProcess = (args: readonly string[], settings: Settings) =>
  start(`${projectFolder}campaign-mirror`, args, settings);
