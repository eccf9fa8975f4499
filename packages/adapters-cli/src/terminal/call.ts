import type { Readable } from 'node:stream';
import { orStopped } from './errors.ts';
import { Output, type OutputStream } from './output.ts';

/** The inputs of a call of the command line; it uses nothing else of the process. */
export interface CommandInput {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The caller listens to the `error` of both outputs; a command learns of it from the write that failed. */
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Aborted with `Interrupted` as its reason when the command should stop. A command subscribes before work that must
   * not be cut off in the middle; before that, and in other commands, nothing listens.
   */
  readonly signal: AbortSignal;
}

/** One call of the command line, from its arguments to its exit code, with everything that lives as long. */
export class Call {
  /** The environment variables. */
  readonly environment: NodeJS.ProcessEnv;
  /** Standard error. */
  readonly stderr: OutputStream;
  readonly output: Output;
  /** Set by `--verbose`: progress is reported on standard error. */
  verbose = false;
  /** The exit code when nothing is thrown. */
  exitCode = 0;
  /** Whether the warnings about the settings were printed. */
  notesShown = false;
  readonly #given: CommandInput;
  #signal: AbortSignal | undefined;

  constructor(given: CommandInput) {
    this.#given = given;
    this.environment = given.environment;
    this.stderr = given.stderr;
    this.output = new Output(given.stdout, given.stderr);
  }

  /** Standard input. */
  get stdin(): CommandInput['stdin'] {
    return this.#given.stdin;
  }

  /**
   * From its first use on, Ctrl-C takes effect between the steps of the command, in `throwIfInterrupted`. A step in
   * progress is completed first, so a command in its only step finishes as usual.
   */
  get interruption() {
    this.#signal ??= this.#given.signal;
    const signal = this.#signal;
    return {
      signal,
      /** @throws Interrupted when the command should stop, with this text for the user */
      throwIfInterrupted: (message: string) => {
        if (signal.aborted) throw orStopped(signal.reason, message);
      },
    };
  }
}
