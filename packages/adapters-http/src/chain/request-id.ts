import { randomUUID } from 'node:crypto';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/**
 * The caller's own identifier for its request if it is 1 to 128 visible ASCII characters; otherwise a new one, as a flat
 * string: `randomUUID` returns a rope, which JSON serialises slowly (half of the time of a log line).
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && visibleAscii.test(header) ? header : randomUUID().toLowerCase();
}
