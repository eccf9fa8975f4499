/*
 * Array literals (PostgreSQL, section 8.15). The driver would check the type of each element and quote each one, which
 * numbers and hexadecimal do not need.
 */

/** For elements that need no quotes. */
export function plainArray(elements: readonly (number | boolean)[]): string {
  return `{${elements.join(',')}}`;
}

export function byteaArray(elements: readonly Buffer[]): string {
  return `{${elements.map((bytes) => `\\\\x${bytes.toString('hex')}`).join(',')}}`;
}

export function textArray(elements: readonly string[]): string {
  return `{${elements.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
