import { exitCodeOf } from './exit-codes.ts';

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Name = (typeof names)[number];

/** Whoever asks again later than this, in milliseconds, means at once; npm hands on what the terminal sent before. */
const sameSignal = 1_000;

/** Thrown where a command stops because it was asked to: all that it did is whole, the rest is not begun. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly signal: Name;
  /** What the user is told; the message says what was done, and how to go on. */
  constructor(signal: Name, message = 'Stopped. Nothing is half done.') {
    super(message);
    this.signal = signal;
  }
}

/** The same fault, with what the user is told where it is that the command was asked to stop. */
export function orStopped(error: unknown, message: string): unknown {
  return error instanceof Interrupted ? new Interrupted(error.signal, message) : error;
}

/**
 * Ctrl-C is heard between the steps of a command, which stops there: see `throwIfInterrupted`. What is being written
 * is brought to its end first, so that a command whose one step is under way is done, as if nobody had asked.
 */
export class Interruption {
  readonly #controller = new AbortController();
  #askedAt: number | undefined;

  constructor() {
    for (const name of names) process.on(name, () => this.#receive(name));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @throws Interrupted */
  throwIfInterrupted(message?: string): void {
    if (this.signal.aborted) throw new Interrupted((this.signal.reason as Interrupted).signal, message);
  }

  #receive(name: Name): void {
    if (this.#askedAt === undefined) {
      this.#askedAt = performance.now();
      this.#controller.abort(new Interrupted(name));
    } else if (performance.now() - this.#askedAt > sameSignal) process.exit(exitCodeOf(name));
  }
}
