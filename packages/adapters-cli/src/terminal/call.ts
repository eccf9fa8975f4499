import type { Readable } from 'node:stream';
import { ClearError, Interrupted, orStopped, printable } from './errors.ts';
import { Output, type OutputStream } from './output.ts';

/** The parts of the process that one call of the command line uses. */
export interface CommandIO {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The caller listens to the `error` event of both outputs; a command gets the error of a failed write. */
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborted with `Interrupted` to stop the command. Commands that may be killed at any time do not read it. */
  readonly signal: AbortSignal;
}

/** The part of cli-progress that commands use: users of this package do not have its types. */
export interface ProgressBar {
  update(value: number): void;
  stop(): void;
}

type PromptContext = { input: Readable; output: OutputStream; signal: AbortSignal };

const nothingDone = 'Nothing was done.';

export class Call {
  readonly environment: NodeJS.ProcessEnv;
  readonly stderr: OutputStream;
  readonly output: Output;
  /** Set by `--verbose`: prints details of errors. */
  verbose = false;
  /** The exit code if nothing is thrown. */
  exitCode = 0;
  readonly #io: CommandIO;
  #signal: AbortSignal | undefined;

  constructor(io: CommandIO) {
    this.#io = io;
    this.environment = io.environment;
    this.stderr = io.stderr;
    this.output = new Output(io.stdout, io.stderr);
  }

  get stdin(): CommandIO['stdin'] {
    return this.#io.stdin;
  }

  /** Aborted to stop the command. After its first use, Ctrl-C no longer ends the process: see `throwIfStopped`. */
  get signal(): AbortSignal {
    this.#signal ??= this.#io.signal;
    return this.#signal;
  }

  /** Stops the command between two of its steps. @throws Interrupted with this message */
  throwIfStopped(message = nothingDone): void {
    if (this.signal.aborted) throw orStopped(this.signal.reason, message);
  }

  /** A progress bar on standard error, if that is a terminal and the total is known; otherwise nothing is shown. */
  async progress(what: string, total: number | undefined): Promise<ProgressBar> {
    const { SingleBar } = await import('cli-progress');
    const bar = new SingleBar({
      format: `${what} {bar} {percentage} % | {value} of {total} | {eta} s left`,
      stream: this.stderr,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
    });
    if (total !== undefined) bar.start(total, 0);
    return bar;
  }

  /** Asks for confirmation. @throws ClearError if the answer is no or there is no terminal; Interrupted */
  async confirm(question: string): Promise<void> {
    const otherwise = `${question} There is no terminal to ask on: add --yes to confirm.`;
    const { default: confirm } = await import('@inquirer/confirm');
    const config = { message: printable(question), default: false };
    if (!(await this.#ask(otherwise, (context) => confirm(config, context))))
      throw new ClearError(nothingDone);
    this.throwIfStopped();
  }

  /** Asks for a secret without echoing it. @throws ClearError with `otherwise` if there is no terminal; Interrupted */
  async secret(message: string, otherwise: string): Promise<string> {
    const { default: password } = await import('@inquirer/password');
    return this.#ask(otherwise, (context) => password({ message }, context));
  }

  /** Questions go to standard error: standard output has only the answer of the command. */
  async #ask<T>(otherwise: string, prompt: (context: PromptContext) => Promise<T>): Promise<T> {
    const { stdin: input, stderr: output, signal } = this;
    if (!input.isTTY || !output.isTTY) throw new ClearError(otherwise, 'usage');
    return prompt({ input, output, signal }).catch((error) => {
      this.throwIfStopped();
      // Ctrl-C or the end of the input at the prompt.
      throw error.name === 'ExitPromptError' ? new Interrupted('SIGINT', nothingDone) : error;
    });
  }
}
