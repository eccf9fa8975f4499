import * as fc from 'fast-check';
import { brokenText, bytes, mostly, place } from './odd.ts';

type Lines = readonly string[];
/** Header lines that say where a body ends, and the body as it is sent. */
type Framing = (body: string) => { readonly lines: Lines; readonly sent: string };

const chunkedLine = 'Transfer-Encoding: chunked';
/** `<LENGTH>` stands for the length of the body. */
const right = 'Content-Length: <LENGTH>';

const lengthLines = mostly<Lines>(
  [right],
  [
    ...[
      [right, right],
      [`${right}, <LENGTH>`],
      [right, 'Content-Length: 0'],
      ['Content-Length: 0', right],
      [],
    ],
    ...[
      [right, chunkedLine],
      [chunkedLine, right],
      [right, 'Transfer-Encoding:'],
      [right, 'X: a\r\n b'],
    ],
    ...['+<LENGTH>', '0<LENGTH>', '0x<LENGTH>', '18446744073709551617', '4294967297', '-1'].map((told) => [
      `Content-Length: ${told}`,
    ]),
    ...[':\t<LENGTH>\t', ' : <LENGTH>', ':\r\n <LENGTH>'].map((rest) => [`Content-Length${rest}`]),
    ['Content_Length: <LENGTH>'],
  ],
  brokenText(right).map((line) => [line]),
);
const byLength = fc.tuple(lengthLines, mostly(0, [-3, -2, -1, 1, 2, 3])).map(
  ([all, more]): Framing =>
    (body) => {
      const length = Math.max(body.length + more, 0);
      return { lines: all.map((line) => line.replaceAll('<LENGTH>', String(length))), sent: body };
    },
);

/** The lines with which a chunked coding is told. */
const codings = mostly<Lines>(
  [chunkedLine],
  [
    ...[['transfer-encoding:CHUNKED'], [chunkedLine, chunkedLine], ['X: a\r\n Transfer-Encoding: chunked']],
    ...[
      [chunkedLine, 'Content-Length: 5'],
      ['Content-Length: 5', chunkedLine],
    ],
    ...['gzip, chunked', 'chunked, identity', 'xchunked', '"chunked"', 'chunked;q=1'].map((coding) => [
      `Transfer-Encoding: ${coding}`,
    ]),
    ...[['Transfer-Encoding : chunked'], ['Transfer-Encoding:\x0bchunked'], ['Transfer_Encoding: chunked']],
  ],
  brokenText(chunkedLine).map((line) => [line]),
);

/** The line before a chunk: `<SIZE>` stands for its size in hexadecimal digits. */
const sizeLine = mostly(
  '<SIZE>\r\n',
  [
    ...[';a=b', ';a="\\""', ' ;a', '\t', ';', ';a\n', ';\0', ' ', '0'].map((tail) => `<SIZE>${tail}\r\n`),
    ...['000', '0x', '+', '-', ' ', `1${'0'.repeat(16)}`, '\r\n'].map((start) => `${start}<SIZE>\r\n`),
    ...['<SIZE>\n', '<SIZE>\r', '<SIZE>', `${'f'.repeat(16)}\r\n`],
  ],
  fc.nat(17_000).map((length) => `<SIZE>;${'x'.repeat(length)}\r\n`),
);
const chunkEnd = mostly('\r\n', ['\n', '\r', '', '\r\n\r\n', ' \r\n', '\0\r\n']);
const end = mostly(
  '0\r\n\r\n',
  [
    ...['X-Trailer: a\r\n', 'Content-Length: 5\r\nHost: b\r\n', ' X: a\r\n', 'X\r\n', 'X: a\n'].map(
      (field) => `0\r\n${field}\r\n`,
    ),
    ...['000\r\n\r\n', '0;a\r\n\r\n', '0 \r\n\r\n', '0\r\n\r\n0\r\n\r\n', '', '0\r\n', '0\n\n', '0\r\n\n'],
  ],
  bytes(8),
);

const chunked = fc.tuple(codings, fc.array(place, { maxLength: 3 }), sizeLine, chunkEnd, end).map(
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

/** A text in pieces, none of which is empty, cut in places from 0 to 1. */
export function piecesAt(cuts: readonly number[], text: string): string[] {
  const ends = [...cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b), text.length];
  return ends.map((to, nth) => text.slice(ends[nth - 1] ?? 0, to)).filter((piece) => piece !== '');
}

export const framing = fc.oneof({ weight: 3, arbitrary: byLength }, chunked);
