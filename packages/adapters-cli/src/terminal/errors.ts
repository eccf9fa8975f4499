import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';
import { invisible } from '@campaign-mirror/domain/operator';

/** Characters that control a terminal, mislead a reader or cannot be seen, except the blank. */
const misleading = new RegExp(`(?! )${invisible.source}`, 'gu');
/** Those that JSON does not escape. */
const misleadingInJson = new RegExp(`(?![\\0- ])${invisible.source}`, 'gu');

/** Escapes the misleading characters in lines of JSON; the values stay the same. */
export function escaped(lines: string): string {
  // Nearly all lines are ASCII, and this check is a hundred times faster than the search.
  if (Buffer.byteLength(lines) === lines.length && !lines.includes('\u007f')) return lines;
  const unitsOf = (character: string) =>
    character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return lines.replace(misleadingInJson, (character) => unitsOf(character).join(''));
}

/** Replaces the misleading characters in a text by their code points, such as `\u{202e}`. */
export function printable(text: string): string {
  return text.replace(misleading, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** A record with the field names of the interface: `owner_id` for `ownerId`. */
export function jsonOf<Row extends object>(record: Row): Record<string, Row[keyof Row]> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value !== null && typeof value === 'object' && !Array.isArray(value) ? jsonOf(value) : value,
    ]),
  );
}

/** The exit codes of a failed command by cause. `unavailable`: the database, or the outcome is unknown. */
export const exitCodes = { refused: 1, usage: 2, unavailable: 3, position: 4 } as const;

/** An error whose message, without secrets, tells the user what is wrong and what to do. No stack is printed. */
export class ClearError extends Error {
  override name = 'ClearError';
  readonly kind: keyof typeof exitCodes;

  constructor(message: string, kind: keyof typeof exitCodes = 'refused') {
    super(printableLines(message));
    this.kind = kind;
  }
}

/** Thrown when a command is stopped: completed steps are committed, the others are not started. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';

  /** `message` tells the user what was done, and how to continue. */
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

/** The same error or, if the command was stopped, an `Interrupted` with this message. */
export function orStopped(error: unknown, message: string): unknown {
  return error instanceof Interrupted ? new Interrupted(error.signal, message) : error;
}
