import * as fc from 'fast-check';

/** So many of the usual to one that is odd: with a dozen choices, about half of the requests are odd somewhere. */
const usually = 16;

/** As a rule the usual one, to which it shrinks. */
export function mostly<T>(usual: fc.Arbitrary<T>, ...odd: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: usually, arbitrary: usual }, fc.oneof(...odd));
}

export const one = <T>(...all: readonly T[]) => fc.constantFrom(...all);

/** Bytes, one a character. */
export const bytes = (maxLength: number) =>
  fc.array(fc.nat(255), { maxLength, size: 'max' }).map((all) => String.fromCharCode(...all));

/** Characters that end, part or hide what they stand in. */
const breaking = ['\r\n', '\n', '\r', '\0', '\t', '\x7f', '\xa0', '\xff', ' ', ':', ',', ';', '"', '\\'];

/** Puts such a character somewhere into a text. */
export const broken = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), one(...breaking))
  .map(([where, mark]) => (text: string) => {
    const at = Math.floor(where * text.length);
    return text.slice(0, at) + mark + text.slice(at);
  });

export const brokenText = (text: string) => broken.map((change) => change(text));
