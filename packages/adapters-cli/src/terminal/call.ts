import type { Readable } from 'node:stream';
import { Interruption } from './interruption.ts';
import { Output, type OutputStream } from './output.ts';

/** What a call of the command line is given; nothing of the process is used beside it. */
export interface Given {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Aborted with `Interrupted` as its reason when the command is to stop. Taken where a command begins what is not to
   * be cut off in its middle: until then, and in commands that do nothing of the kind, nobody listens.
   */
  readonly signal: AbortSignal;
}

/** One call of the command line, from its words to its exit code: all that lasts as long as it does. */
export class Call {
  readonly output: Output;
  /** Set by `--verbose`: what goes on is told on standard error. */
  verbose = false;
  /** What the call ends with where nothing is thrown. */
  exitCode = 0;
  /** Whether what may not be what was meant in the settings was told of. */
  notesTold = false;
  readonly #given: Given;
  #interruption: Interruption | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.output = new Output(given);
  }

  get environment(): NodeJS.ProcessEnv {
    return this.#given.environment;
  }

  get stdin(): Given['stdin'] {
    return this.#given.stdin;
  }

  get stderr(): OutputStream {
    return this.#given.stderr;
  }

  /** From now on Ctrl-C is heard between the steps of the command. */
  hear(): Interruption {
    this.#interruption ??= new Interruption(this.#given.signal);
    return this.#interruption;
  }

  get interruption(): Interruption {
    return this.hear();
  }
}
