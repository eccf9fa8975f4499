import { constants } from 'node:os';
import type { FaultKind } from './clear-error.ts';

/** What a command ends with when it was not done; 0 when it was. */
export const exitCodes: Readonly<Record<FaultKind, number>> = {
  /** Refused, invalid, or not found. */
  refused: 1,
  /** The call cannot be understood: wrong words, options or settings. */
  usage: 2,
  /** The database is away, or the outcome unknown. */
  away: 3,
};

/** As a shell has it for whoever was ended by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
