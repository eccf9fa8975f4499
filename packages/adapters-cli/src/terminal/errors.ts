import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';
import { invisible } from '@campaign-mirror/domain/operator';

/** What controls a terminal, misleads a reader or cannot be seen, except the blank. */
const misleading = new RegExp(`(?! )${invisible.source}`, 'gu');
/** The part of it that JSON does not escape by itself. */
const misleadingInJson = new RegExp(`(?![\\0- ])${invisible.source}`, 'gu');

/** Lines of JSON with the misleading characters in their strings escaped; they parse to the same values. */
export function escaped(lines: string): string {
  // Nearly all lines are ASCII, for which this check takes a hundredth of the time of the search.
  if (Buffer.byteLength(lines) === lines.length && !lines.includes('\u007f')) return lines;
  return lines.replace(misleadingInJson, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The text with the characters that would control a terminal or mislead a reader replaced by their code points. */
export function printable(text: string): string {
  return text.replace(misleading, codePoint);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** A name in the interface, such as `owner_id` for `ownerId`. */
const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A record in JSON: its fields under their names in the interface. */
export function jsonOf<Row extends object>(record: Row): Record<string, Row[keyof Row]> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      inSnakeCase(name),
      value !== null && typeof value === 'object' && !Array.isArray(value) ? jsonOf(value) : value,
    ]),
  );
}

/** The exit codes of a command that failed, by the cause; 0 is success. */
export const exitCodes = {
  /** Refused, invalid, or not found. */
  refused: 1,
  /** The call is not valid: wrong words, options or settings. */
  usage: 2,
  /** The database is unavailable, or the outcome is unknown. */
  away: 3,
  /** The position of the feed is of another server. */
  position: 4,
} as const;

/** The cause of an error, which determines the exit code. */
export type FaultKind = keyof typeof exitCodes;

/**
 * An error whose message is for the user: it says what is wrong and what to do. It is printed without a stack, and
 * contains no secret and no control characters of a terminal.
 */
export class ClearError extends Error {
  override name = 'ClearError';
  readonly kind: FaultKind;

  constructor(message: string, kind: FaultKind = 'refused') {
    super(printableLines(message));
    this.kind = kind;
  }
}

/** Thrown when a command is stopped: completed steps are committed, the others are not started. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';

  /** `message` is for the user: what was done, and how to continue. */
  constructor(
    signal: Interrupted['signal'],
    message = 'Stopped. Each step was done completely or not at all.',
  ) {
    super(message);
    this.signal = signal;
  }

  /** The exit code of shells for a process that a signal ended. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal];
  }
}

/** Why a file cannot be used. */
export function reasonOf({ errno, message }: NodeJS.ErrnoException): string {
  return errno === undefined ? message : getSystemErrorMessage(errno);
}

/** The same error or, if the command was stopped, an `Interrupted` with this text for the user. */
export function orStopped(error: unknown, message: string): unknown {
  return error instanceof Interrupted ? new Interrupted(error.signal, message) : error;
}
