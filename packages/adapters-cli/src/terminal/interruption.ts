/** The signals that ask a command to stop. */
export const interrupting = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Name = (typeof interrupting)[number];

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
  readonly signal: AbortSignal;

  /** Aborted with `Interrupted` as its reason. */
  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** @throws Interrupted */
  throwIfInterrupted(message?: string): void {
    if (this.signal.aborted) throw new Interrupted((this.signal.reason as Interrupted).signal, message);
  }
}
