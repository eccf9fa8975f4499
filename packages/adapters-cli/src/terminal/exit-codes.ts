import { constants } from 'node:os';
import type { FaultKind } from './clear-error.ts';

/** The exit codes of a command that failed; 0 is success. */
export const exitCodes: Readonly<Record<FaultKind, number>> = {
  /** Refused, invalid, or not found. */
  refused: 1,
  /** The call is not valid: wrong words, options or settings. */
  usage: 2,
  /** The database is unavailable, or the outcome is unknown. */
  away: 3,
};

/** As shells report a process that a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
