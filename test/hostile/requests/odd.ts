import * as fc from 'fast-check';

/**
 * As a rule the usual one, to which it shrinks: with a dozen choices, about half of the requests are odd somewhere.
 * Of the odd ones, most are those that are listed.
 */
export function mostly<T>(usual: T | fc.Arbitrary<T>, listed: readonly T[], ...made: fc.Arbitrary<T>[]) {
  const arbitrary = usual instanceof fc.Arbitrary ? usual : fc.constant(usual);
  const odd = listed.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...listed) }] : [];
  return fc.oneof({ weight: 16, arbitrary }, fc.oneof(...odd, ...made));
}

/** Stand in what is generated for what is only known when it is sent. */
export const places = { key: '<KEY>', own: '<OWN>', foreign: '<FOREIGN>' } as const;

/** Bytes, one a character. */
export const bytes = (maxLength: number) =>
  fc.array(fc.nat(255), { maxLength, size: 'max' }).map((all) => String.fromCharCode(...all));

/** A place in a text of any length. */
export const place = fc.double({ min: 0, max: 1, noNaN: true });

/** Characters that end, part or hide what they stand in. */
const breaking = ['\r\n', '\n', '\r', '\0', '\t', '\x7f', '\xa0', '\xff', ' ', ':', ',', ';', '"', '\\'];

/** Puts such a character somewhere into a text. */
export const broken = fc.tuple(place, fc.constantFrom(...breaking)).map(([where, mark]) => (text: string) => {
  const at = Math.floor(where * text.length);
  return text.slice(0, at) + mark + text.slice(at);
});
export const brokenText = (text: string) => broken.map((change) => change(text));
