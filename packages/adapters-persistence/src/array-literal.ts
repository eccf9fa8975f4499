/*
 * Arrays as PostgreSQL writes them (its manual, section 8.15). The driver would look at each element's type and quote
 * each of them: for numbers and hexadecimal that is a third of what a batch costs in here.
 */

/** Of what needs no quotes: numbers, booleans, hexadecimal. */
export function plainArray(elements: readonly (number | boolean | string)[]): string {
  return `{${elements.join(',')}}`;
}

export function byteaArray(elements: readonly Buffer[]): string {
  return `{${elements.map((bytes) => `\\\\x${bytes.toString('hex')}`).join(',')}}`;
}

export function textArray(elements: readonly string[]): string {
  return `{${elements.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
