import * as fc from 'fast-check';
import { broken, brokenText, bytes, mostly, one } from './odd.ts';

/** Header lines that say where a body ends, and the body as it is sent. */
interface Framed {
  readonly lines: readonly string[];
  readonly sent: string;
}
type Framing = (body: string) => Framed;

const chunkedLine = 'Transfer-Encoding: chunked';
const right = (length: number) => `Content-Length: ${length}`;

/** Lines that go with a body of some length. */
type Lines = (length: number) => readonly string[];
const lengthLines = mostly<Lines>(
  one((length: number) => [right(length)]),
  one<Lines>(
    (length) => [right(length), right(length)],
    (length) => [`${right(length)}, ${length}`],
    (length) => [right(length), right(0)],
    (length) => [right(0), right(length)],
    () => [],
  ),
  one<Lines>(
    (length) => [`Content-Length: +${length}`],
    (length) => [`Content-Length: 0${length}`],
    (length) => [`Content-Length: ${length}.0`],
    (length) => [`Content-Length: 0x${length.toString(16)}`],
    (length) => [`Content-Length:\t${length}\t`],
    (length) => [`Content-Length : ${length}`],
    (length) => [`Content_Length: ${length}`],
    (length) => [`Content-Length: ${length}\r\n ${length}`],
    (length) => [`Content-Length: ${2n ** 64n + BigInt(length)}`],
    (length) => [`Content-Length: ${2 ** 32 + length}`],
    () => ['Content-Length:'],
    () => ['Content-Length: -1'],
  ),
  one<Lines>(
    (length) => [right(length), chunkedLine],
    (length) => [chunkedLine, right(length)],
    (length) => [right(length), 'Transfer-Encoding: identity'],
    (length) => [right(length), 'Transfer-Encoding:'],
    (length) => [right(length), 'X: a\r\n b'],
  ),
  fc.integer({ min: -3, max: 3 }).map((more) => (length: number) => [right(Math.max(length + more, 0))]),
  broken.map((change) => (length: number) => [change(right(length))]),
);
const byLength = lengthLines.map(
  (of): Framing =>
    (body) => ({ lines: of(body.length), sent: body }),
);

/** The lines with which a chunked coding is told. */
const codings = mostly<readonly string[]>(
  one([chunkedLine], ['transfer-encoding:CHUNKED']),
  one(
    ['Transfer-Encoding: chunked, chunked'],
    ['Transfer-Encoding: gzip, chunked'],
    [chunkedLine, chunkedLine],
  ),
  one(
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: "chunked"'],
  ),
  one(
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding:\x0bchunked'],
    ['X: a\r\n Transfer-Encoding: chunked'],
  ),
  one(
    [chunkedLine, right(5)],
    [right(5), chunkedLine],
    ['Transfer-Encoding: chunked;q=1'],
    ['Transfer_Encoding: chunked'],
  ),
  brokenText(chunkedLine).map((line) => [line]),
);

/** The line before a chunk, whose size is told in hexadecimal digits. */
const sizeLine = mostly<(hex: string) => string>(
  one((hex) => `${hex}\r\n`),
  one(
    (hex) => `000${hex.toUpperCase()}\r\n`,
    ...[';a=b', ';a="\\""', ' ;a', '\t', ';', ';a\n', ';\0', ' '].map(
      (tail) => (hex: string) => `${hex}${tail}\r\n`,
    ),
    ...['0x', '+', '-', ' ', `1${'0'.repeat(16)}`, '0'.repeat(20), '\r\n'].map(
      (start) => (hex: string) => `${start}${hex}\r\n`,
    ),
    ...['\n', '\r', ''].map((end) => (hex: string) => hex + end),
    () => `${'f'.repeat(16)}\r\n`,
    (hex) => `${hex}0\r\n`,
  ),
  fc.nat(17_000).map((length) => (hex: string) => `${hex};${'x'.repeat(length)}\r\n`),
);

const end = mostly(
  one('0\r\n\r\n'),
  one(
    '0\r\nX-Trailer: a\r\n\r\n',
    '0\r\nContent-Length: 5\r\nHost: b\r\n\r\n',
    '000\r\n\r\n',
    '0;a\r\n\r\n',
    '0\r\n X: a\r\n\r\n',
  ),
  one(
    '0\r\n',
    '0\n\n',
    '0\r\n\n',
    '0\r\nX\r\n\r\n',
    '',
    '0\r\n\r\n0\r\n\r\n',
    '0 \r\n\r\n',
    '0\r\nX: a\n\r\n',
  ),
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
        return nth === 0 ? size(hex) + piece + after : `${hex}\r\n${piece}\r\n`;
      });
      return { lines, sent: chunks.join('') + last };
    },
);

export const framing = fc.oneof({ weight: 3, arbitrary: byLength }, chunked);
