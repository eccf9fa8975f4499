import { constants } from 'node:os';
import { printableLines } from './text.ts';

/** The exit codes of a command that failed, by the cause; 0 is success. */
export const exitCodes = {
  /** Refused, invalid, or not found. */
  refused: 1,
  /** The call is not valid: wrong words, options or settings. */
  usage: 2,
  /** The database is unavailable, or the outcome is unknown. */
  away: 3,
} as const;

/** The cause of an error: the request itself, the way it was made, or an unavailable database. */
export type FaultKind = keyof typeof exitCodes;

/**
 * An error whose message is complete: one line that says what is wrong and what to do. It is printed without a stack,
 * and contains no secret and no terminal control characters.
 */
export class ClearError extends Error {
  override name = 'ClearError';
  readonly kind: FaultKind;

  constructor(message: string, kind: FaultKind = 'refused') {
    super(printableLines(message));
    this.kind = kind;
  }
}

/** Thrown when a command stops on request: completed steps are committed, the rest is not started. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';

  /** The text for the user; `message` says what was done and how to continue. */
  constructor(
    signal: Interrupted['signal'],
    message = 'Stopped. Each step was done completely or not at all.',
  ) {
    super(message);
    this.signal = signal;
  }

  /** As shells report a process that a signal ended. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal];
  }
}

/** What the user can do something about, by the code of a file system's error. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'there is no space left',
};

/** Why a file cannot be used. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (code || message);
}

/** The same error, with the text for the user if the command was asked to stop. */
export function orStopped(error: unknown, message: string): unknown {
  return error instanceof Interrupted ? new Interrupted(error.signal, message) : error;
}
