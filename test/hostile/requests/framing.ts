import * as fc from 'fast-check';
import { brokenText, bytes, mostly, one } from './odd.ts';

/** Header lines that say where a body ends, and the body as it is sent. */
interface Framed {
  readonly lines: readonly string[];
  readonly sent: string;
}
type Framing = (body: string) => Framed;

const chunkedLine = 'Transfer-Encoding: chunked';
/** `<LENGTH>` stands for the length of the body. */
const right = 'Content-Length: <LENGTH>';

const lengthLines = mostly<readonly string[]>(
  one([right]),
  one([right, right], [`${right}, <LENGTH>`], [right, 'Content-Length: 0'], ['Content-Length: 0', right], []),
  one(
    'Content-Length: +<LENGTH>',
    'Content-Length: 0<LENGTH>',
    'Content-Length: 0x<LENGTH>',
    'Content-Length:\t<LENGTH>\t',
    'Content-Length : <LENGTH>',
    'Content_Length: <LENGTH>',
    'Content-Length:\r\n <LENGTH>',
    'Content-Length: 18446744073709551617',
    'Content-Length: 4294967297',
    'Content-Length: -1',
  ).map((line) => [line]),
  one([right, chunkedLine], [chunkedLine, right], [right, 'Transfer-Encoding:'], [right, 'X: a\r\n b']),
  brokenText(right).map((line) => [line]),
);
const byLength = fc.tuple(lengthLines, mostly(one(0), fc.integer({ min: -3, max: 3 }))).map(
  ([all, more]): Framing =>
    (body) => {
      const length = Math.max(body.length + more, 0);
      return { lines: all.map((line) => line.replaceAll('<LENGTH>', String(length))), sent: body };
    },
);

/** The lines with which a chunked coding is told. */
const codings = mostly<readonly string[]>(
  one([chunkedLine], ['transfer-encoding:CHUNKED']),
  one(
    ['Transfer-Encoding: gzip, chunked'],
    [chunkedLine, chunkedLine],
    ['Transfer-Encoding: chunked, identity'],
  ),
  one(['Transfer-Encoding: xchunked'], ['Transfer-Encoding: "chunked"'], ['Transfer-Encoding: chunked;q=1']),
  one(
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding:\x0bchunked'],
    ['X: a\r\n Transfer-Encoding: chunked'],
  ),
  one([chunkedLine, 'Content-Length: 5'], ['Content-Length: 5', chunkedLine], ['Transfer_Encoding: chunked']),
  brokenText(chunkedLine).map((line) => [line]),
);

/** The line before a chunk: `<SIZE>` stands for its size in hexadecimal digits. */
const sizeLine = mostly(
  one('<SIZE>\r\n'),
  one(';a=b', ';a="\\""', ' ;a', '\t', ';', ';a\n', ';\0', ' ', '0').map((tail) => `<SIZE>${tail}\r\n`),
  one('000', '0x', '+', '-', ' ', `1${'0'.repeat(16)}`, '\r\n').map((start) => `${start}<SIZE>\r\n`),
  one('<SIZE>\n', '<SIZE>\r', '<SIZE>', `${'f'.repeat(16)}\r\n`),
  fc.nat(17_000).map((length) => `<SIZE>;${'x'.repeat(length)}\r\n`),
);

const end = mostly(
  one('0\r\n\r\n'),
  one('X-Trailer: a\r\n', 'Content-Length: 5\r\nHost: b\r\n', ' X: a\r\n').map(
    (field) => `0\r\n${field}\r\n`,
  ),
  one('000\r\n\r\n', '0;a\r\n\r\n', '0 \r\n\r\n', '0\r\n\r\n0\r\n\r\n'),
  one('', '0\r\n', '0\n\n', '0\r\n\n', '0\r\nX\r\n\r\n', '0\r\nX: a\n\r\n'),
  bytes(8),
);
const chunkEnd = mostly(one('\r\n'), one('\n', '\r', '', '\r\n\r\n', ' \r\n', '\0\r\n'));

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 });
const chunked = fc.tuple(codings, cuts, sizeLine, chunkEnd, end).map(
  ([lines, at, size, after, last]): Framing =>
    (body) => {
      const ends = at.map((where) => Math.floor(where * body.length)).toSorted((a, b) => a - b);
      const pieces = [...ends, body.length]
        .map((to, nth) => body.slice(ends[nth - 1] ?? 0, to))
        .filter((piece) => piece);
      // The first is the odd one, if any: what comes before the others is as it should be.
      const chunks = pieces.map((piece, nth) => {
        const hex = piece.length.toString(16);
        return nth === 0 ? size.replace('<SIZE>', hex) + piece + after : `${hex}\r\n${piece}\r\n`;
      });
      return { lines, sent: chunks.join('') + last };
    },
);

export const framing = fc.oneof({ weight: 3, arbitrary: byLength }, chunked);
