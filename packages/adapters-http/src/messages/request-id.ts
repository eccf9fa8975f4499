import { randomUUID } from 'node:crypto';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/**
 * The caller's own identifier for its request, where it is 1 to 128 visible ASCII characters; else a new one,
 * as one text: `randomUUID` gives a tree of its pieces, which JSON is slow at (half of the time of a line in the log).
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && visibleAscii.test(header) ? header : randomUUID().toLowerCase();
}
