import * as fc from 'fast-check';

/** What parsers stumble over. */
const tokens = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', ' ', '\t', ':', ';', '\0', '\x7f', '\xff', '%00', '"', '#', '?', '{'],
  ...['0\r\n\r\n', '-1', '99999999999999999999', 'ffffffffffffffff', 'HTTP/1.0', 'OPTIONS', '\\ud800'],
  ...['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n', 'Host: b\r\n'],
  ...['Authorization: Bearer x\r\n', 'Connection: close\r\n', 'Content-Encoding: gzip\r\n', ' folded\r\n'],
  ...['GET / HTTP/1.1\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
];

export type Edit = (message: string) => string;
/** Somewhere in a message, whatever its length. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (somewhere: number, { length }: { length: number }) => Math.floor(somewhere * length);

const inserted = fc.oneof(
  fc.constantFrom('', ...tokens),
  fc.nat(255).map((byte) => String.fromCharCode(byte)),
  fc
    .tuple(fc.constantFrom('a', '\r\n', 'a:b\r\n'), fc.nat(20_000))
    .map(([of, length]) => ''.padEnd(length, of)),
);
const spliced = fc
  .tuple(place, fc.oneof(fc.nat(4), fc.nat(40), fc.constant(Number.POSITIVE_INFINITY)), inserted)
  .map(([where, removed, text]): Edit => {
    return (message) => {
      const from = at(where, message);
      return message.slice(0, from) + text + message.slice(from + removed);
    };
  });
const lineRepeated = fc.tuple(place, place).map(([where, which]): Edit => {
  return (message) => {
    const lines = message.split('\r\n');
    return lines.toSpliced(at(where, lines), 0, lines[at(which, lines)] ?? '').join('\r\n');
  };
});

/** A change of a message in one to four places; `texts`: what may be put behind it. */
export function changed(texts: readonly string[]): fc.Arbitrary<Edit> {
  const followed = fc.constantFrom(...texts).map(
    (next): Edit =>
      (message) =>
        message + next,
  );
  const edit = fc.oneof({ weight: 4, arbitrary: spliced }, lineRepeated, followed);
  const several = fc.array(edit, { minLength: 2, maxLength: 4 });
  // Most of them in one place: the more that are changed, the sooner the parser gives up.
  const edits = fc.oneof({ weight: 3, arbitrary: edit.map((one) => [one]) }, several);
  return edits.map((all) => (message) => all.reduce((text, one) => one(text), message));
}
