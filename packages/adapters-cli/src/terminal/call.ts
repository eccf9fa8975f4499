import type { Readable } from 'node:stream';
import { Interruption } from './errors.ts';
import { Output, type OutputStream } from './output.ts';

/** The inputs of a call of the command line; it uses nothing else of the process. */
export interface Given {
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
  readonly output: Output;
  /** Set by `--verbose`: progress is reported on standard error. */
  verbose = false;
  /** The exit code when nothing is thrown. */
  exitCode = 0;
  /** Whether the warnings about the settings were printed. */
  notesTold = false;
  readonly #given: Given;
  #interruption: Interruption | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.output = new Output(given.stdout, given.stderr);
  }

  /** The environment variables. */
  get environment(): NodeJS.ProcessEnv {
    return this.#given.environment;
  }

  /** Standard input. */
  get stdin(): Given['stdin'] {
    return this.#given.stdin;
  }

  /** Standard error. */
  get stderr(): OutputStream {
    return this.#given.stderr;
  }

  /** From its first use on, Ctrl-C stops the command between its steps. */
  get interruption(): Interruption {
    this.#interruption ??= new Interruption(this.#given.signal);
    return this.#interruption;
  }
}
