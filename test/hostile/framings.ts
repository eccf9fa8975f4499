import * as fc from 'fast-check';

/**
 * As a rule the usual one: with a dozen choices, about half of the requests are odd somewhere.
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

/** The header lines that say where a body ends, and the body as it is sent. */
type Framing = (body: string) => { readonly lines: string; readonly sent: string };

const right = 'Content-Length: <LENGTH>';
const chunked = 'Transfer-Encoding: chunked';
const http2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ';

/** Ways to give a length that some readers take for another one: `<LENGTH>` stands for it. */
export const lengths: readonly string[] = [
  ...['', 'Content-Length: 0', `${right}\r\n${right}`, `${right}, <LENGTH>`, 'Content_Length: <LENGTH>'],
  ...[`Content-Length: 0\r\n${right}`, `${right}\r\n${chunked}`, `${right}\r\nTransfer-Encoding:`],
  ...[`Connection: Content-Length\r\n${right}`, `Expect: 100-continue\r\n${right}`, `${http2}\r\n${right}`],
  ...['Content-Length: +<LENGTH>', 'Content-Length: 0<LENGTH>', 'Content-Length: 0x<LENGTH>'],
  ...['Content-Length : <LENGTH>', 'Content-Length:\r\n <LENGTH>', `Content-Length: ${2n ** 64n + 1n}`],
];

/** Ways to name the chunked coding that some readers understand and others do not. */
export const codings: readonly string[] = [
  ...[chunked, 'transfer-encoding:CHUNKED', `${chunked}\r\n${chunked}`, 'Transfer-Encoding: gzip, chunked'],
  ...[', identity', ';q=1'].map((more) => chunked + more),
  'Transfer-Encoding : chunked',
  ...['Transfer-Encoding:\x0bchunked', 'Transfer-Encoding:\r\n chunked', `${chunked}\r\nContent-Length: 5`],
  ...[`X: a\n${chunked}`, `${chunked}\0`, `Connection: Transfer-Encoding\r\n${chunked}`],
];

/** Lines before a chunk: `<SIZE>` stands for its size in hexadecimal digits. */
export const sizeLines: readonly string[] = [
  ...[';a="\\""', ' ;a', '\t', ';a\n', ';\0', '0'].map((tail) => `<SIZE>${tail}\r\n`),
  ...['000', '0x', '+', '-', `1${'0'.repeat(16)}`, '\r\n'].map((start) => `${start}<SIZE>\r\n`),
  ...['<SIZE>\n', '<SIZE>\r', '<SIZE>', '<SIZE>;\nx\r\n'],
];
export const chunkEnds: readonly string[] = ['\n', '\r', '', '\r\n\r\n', ' \r\n', '\0\r\n'];
export const lastChunks: readonly string[] = [
  ...['0\r\nContent-Length: 5\r\nHost: b\r\n\r\n', '0\r\n X: a\r\n\r\n', '0\r\nX\r\n\r\n', '0\r\nX: a\n\r\n'],
  ...['000\r\n\r\n', '0;a\r\n\r\n', '0 \r\n\r\n', '0\r\n\r\n0\r\n\r\n', '', '0\r\n', '0\n\n', '0\r\n\n'],
];

const byLength = fc.tuple(mostly(right, lengths, brokenText(right)), mostly(0, [-3, -2, -1, 1, 2, 3])).map(
  ([told, more]): Framing =>
    (body) => {
      const length = Math.max(body.length + more, 0);
      return { lines: told.replaceAll('<LENGTH>', String(length)), sent: body };
    },
);

const longExtension = fc.nat(17_000).map((length) => `<SIZE>;${'x'.repeat(length)}\r\n`);
const byChunks = fc
  .tuple(
    mostly(chunked, codings, brokenText(chunked)),
    fc.array(place, { maxLength: 3 }),
    mostly('<SIZE>\r\n', sizeLines, longExtension),
    mostly('\r\n', chunkEnds),
    mostly('0\r\n\r\n', lastChunks, bytes(8)),
  )
  .map(
    ([lines, cuts, size, after, last]): Framing =>
      (body) => {
        // The first is the odd one, if any: what comes before the others is as it should be.
        const chunks = piecesAt(cuts, body).map((piece, nth) => {
          const hex = piece.length.toString(16);
          return nth === 0 ? size.replace('<SIZE>', hex) + piece + after : `${hex}\r\n${piece}\r\n`;
        });
        return { lines, sent: chunks.join('') + last };
      },
  );

export const framing = fc.oneof({ weight: 3, arbitrary: byLength }, byChunks);

/** A text in pieces, none of which is empty, cut in places from 0 to 1. */
export function piecesAt(cuts: readonly number[], text: string): string[] {
  const ends = [...cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b), text.length];
  return ends.map((to, nth) => text.slice(ends[nth - 1] ?? 0, to)).filter((piece) => piece !== '');
}
