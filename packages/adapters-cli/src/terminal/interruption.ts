/** The signals that ask a command to stop. */
export const interrupting = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Name = (typeof interrupting)[number];

/** Thrown when a command stops on request: completed steps are committed, the rest is not started. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly signal: Name;
  /** The text for the user; `message` says what was done and how to continue. */
  constructor(signal: Name, message = 'Stopped. Each step was done completely or not at all.') {
    super(message);
    this.signal = signal;
  }
}

/** The same error, with the text for the user if the command was asked to stop. */
export function orStopped(error: unknown, message: string): unknown {
  return error instanceof Interrupted ? new Interrupted(error.signal, message) : error;
}

/**
 * Ctrl-C takes effect between the steps of a command, in `throwIfInterrupted`. A step in progress is completed first,
 * so a command in its only step finishes as usual.
 */
export class Interruption {
  readonly signal: AbortSignal;

  /** Aborted with `Interrupted` as its reason. */
  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** Called between the steps of a command. @throws Interrupted when it should stop */
  throwIfInterrupted(message?: string): void {
    if (this.signal.aborted) throw new Interrupted((this.signal.reason as Interrupted).signal, message);
  }
}
