/*
 * Arrays as PostgreSQL writes them (its manual, section 8.15). The driver would look at each element's type and quote
 * each of them, which numbers and hexadecimal do not need.
 */

/** Of what needs no quotes. */
export function plainArray(elements: readonly (number | boolean)[]): string {
  return `{${elements.join(',')}}`;
}

export function byteaArray(elements: readonly Buffer[]): string {
  return `{${elements.map((bytes) => `\\\\x${bytes.toString('hex')}`).join(',')}}`;
}

export function textArray(elements: readonly string[]): string {
  return `{${elements.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
