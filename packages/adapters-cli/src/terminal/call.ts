import type { Readable } from 'node:stream';
import { orStopped } from './errors.ts';
import { Output, type OutputStream } from './output.ts';

/** The inputs and outputs of a call of the command line, which uses nothing else of the process. */
export interface CommandInput {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The caller listens to the `error` event of both outputs; a command gets the error from the write that failed. */
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Aborted with `Interrupted` as its reason when the command should stop. It is read only by commands whose work must
   * not be cut off in the middle, from the beginning of that work.
   */
  readonly signal: AbortSignal;
}

/** Of the library's bar, whose types whoever installs this package does not have. */
export interface Progress {
  update(value: number): void;
  stop(): void;
}

/** One call of the command line, from its arguments to its exit code. */
export class Call {
  readonly environment: NodeJS.ProcessEnv;
  readonly stderr: OutputStream;
  readonly output: Output;
  /** Set by `--verbose`: details of errors are printed. */
  verbose = false;
  /** The exit code when nothing is thrown. */
  exitCode = 0;
  readonly #input: CommandInput;
  #signal: AbortSignal | undefined;

  constructor(input: CommandInput) {
    this.#input = input;
    this.environment = input.environment;
    this.stderr = input.stderr;
    this.output = new Output(input.stdout, input.stderr);
  }

  get stdin(): CommandInput['stdin'] {
    return this.#input.stdin;
  }

  /**
   * Aborted when the command should stop. From its first use on, Ctrl-C takes effect between the steps of the command, in
   * `throwIfStopped`. A step in progress is completed first, so a command in its only step finishes as usual.
   */
  get signal(): AbortSignal {
    this.#signal ??= this.#input.signal;
    return this.#signal;
  }

  /** @throws Interrupted, with this text for the user, when the command should stop */
  throwIfStopped(message: string): void {
    if (this.signal.aborted) throw orStopped(this.signal.reason, message);
  }

  /** A progress bar on standard error, if that is a terminal and the total is known; otherwise nothing is shown. */
  async progress(what: string, total: number | undefined): Promise<Progress> {
    const { SingleBar } = await import('cli-progress');
    const bar = new SingleBar({
      format: `${what} {bar} {percentage} % | {value} of {total} | {eta} s left`,
      stream: this.stderr,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
    });
    // A bar that is not started shows nothing, and one that is not on a terminal does not start.
    if (total !== undefined) bar.start(total, 0);
    return bar;
  }
}
