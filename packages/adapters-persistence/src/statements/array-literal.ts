/*
 * Array literals (PostgreSQL, section 8.15). The driver would check the type of each element and quote each one, which
 * numbers and hexadecimal do not need.
 */

/** For elements that need no quotes, and null. */
export function plainArray(elements: readonly (number | boolean | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

export function byteaArray(elements: readonly Buffer[]): string {
  return `{${elements.map((bytes) => `\\\\x${bytes.toString('hex')}`).join(',')}}`;
}

export function textArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}
