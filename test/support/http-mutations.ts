/** Numbers from 0 to below 1, always the same ones for a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What parsers stumble over. */
const tokens = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '\0',
    '\x7f',
    '\xff',
    '%',
    '%00',
    '"',
    '#',
    '?',
  ],
  ...['0\r\n\r\n', '-1', '0', '99999999999999999999', 'ffffffffffffffff', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0'],
  ...['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n', 'Host: b\r\n'],
  ...['Authorization: Bearer x\r\n', 'Connection: close\r\n', 'Upgrade: h2c\r\n', 'X-Request-Id: a b\r\n'],
  ...['Content-Type: text/plain\r\n', 'Content-Encoding: gzip\r\n', ' folded\r\n', 'GET / HTTP/1.1\r\n'],
  ...[
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'OPTIONS',
    'PUT',
    '{',
    '}',
    '[]',
    'null',
    '\\ud800',
    '\xef\xbb\xbf',
  ],
].map((token) => Buffer.from(token, 'latin1'));

/** Changes a message in one to four places. */
export function mutated(message: Buffer, others: readonly Buffer[], random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  const splice = (bytes: Buffer, at: number, remove: number, insert: Uint8Array) =>
    Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]);
  const mutations: readonly ((bytes: Buffer) => Buffer)[] = [
    (bytes) => splice(bytes, below(bytes.length), 1, Buffer.of(below(256))),
    (bytes) => splice(bytes, below(bytes.length), 1 + below(40), Buffer.alloc(0)),
    (bytes) => splice(bytes, below(bytes.length), 0, pick(tokens)),
    (bytes) => splice(bytes, below(bytes.length), 1 + below(4), pick(tokens)),
    (bytes) => {
      const from = below(bytes.length);
      return splice(bytes, below(bytes.length), 0, bytes.subarray(from, from + below(200)));
    },
    (bytes) =>
      splice(bytes, below(bytes.length), 0, Buffer.alloc(below(20_000), pick(['a', '\r\n', 'a:b\r\n']))),
    (bytes) => bytes.subarray(0, below(bytes.length)),
    (bytes) => Buffer.concat([bytes, pick(others)]),
    (bytes) => {
      const lines = bytes.toString('latin1').split('\r\n');
      lines.splice(below(lines.length), 0, pick(lines));
      return Buffer.from(lines.join('\r\n'), 'latin1');
    },
  ];
  let bytes = message;
  for (let times = below(4); times >= 0; times--) bytes = pick(mutations)(bytes);
  return bytes;
}
