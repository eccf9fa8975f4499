import { randomUUID } from 'node:crypto';
import { isRequestId } from '@campaign-mirror/domain';

/**
 * The caller's own identifier for its request if it can be one (`isRequestId`); otherwise a new one, as a flat
 * string: `randomUUID` returns a rope, which JSON serialises slowly (half of the time of a log line).
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && isRequestId(header) ? header : randomUUID().toLowerCase();
}
