import type { Undone } from '@campaign-mirror/adapters-cli';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { codeOf } from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';
import { isFull, takesNoWrites, whatIsFull } from '../database/start-faults.ts';

/** The server canceled a statement, did not get a lock in time, or ended a transaction in favor of another. */
const gaveUp = new Set(['57014', '55P03', '40001', '40P01', '25P04']);

/**
 * Explains a fault of the database after which the transaction is certainly undone; undefined where the outcome is
 * unknown, as when a connection is lost.
 */
export function undoneBy(error: unknown, database = 'the database'): Undone | undefined {
  // Without a cause, this program gave up: other transactions came first each time.
  if (error instanceof Unavailable && error.cause === undefined) return { what: error.message };
  const code = codeOf(error instanceof Unavailable ? error.cause : error);
  if (gaveUp.has(code)) {
    return { what: `another transaction holds what this is about, or ${database} is too slow (${code})` };
  }
  if (code === takesNoWrites.code) {
    return { what: `${database} ${takesNoWrites.what}`, remedy: takesNoWrites.remedy };
  }
  if (isFull(code)) return { what: `${database} ${whatIsFull(code)}`, remedy: 'make room there' };
  return undefined;
}

/**
 * The same fault, or, where the database ended the reading, what remains of it: `left`. The outcome is never unknown.
 */
export function orReadingEnded(error: unknown, left: string): unknown {
  if (!(error instanceof Unavailable)) return error;
  const { what = 'the database became unavailable', remedy } = undoneBy(error) ?? {};
  const next = [remedy, 'run it again'].filter(Boolean).join(', then ');
  const fault = new ClearError(`${what}: ${left}; ${next}`, 'away');
  fault.cause = error;
  return fault;
}
