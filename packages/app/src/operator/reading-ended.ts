import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { Unavailable } from '@campaign-mirror/domain';
import { undoneBy } from './undone.ts';

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
