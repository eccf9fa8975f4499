/** A request as the strictest reader of RFC 9112 finds it. */
export interface StrictRequest {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without its framing. */
  readonly body: Buffer;
}

export interface StrictlyRead {
  readonly whole: readonly StrictRequest[];
  /** Whether something follows that is no whole request, and the method that it begins with, where it can be read. */
  readonly rest: { readonly method: string } | undefined;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const value = '[\\t\\x20-\\x7e\\x80-\\xff]*';
const fields = `((?:${token}:${value}\\r\\n)*)`;
/** Empty lines before it, and more than one space in it, may be passed over (RFC 9112, sections 2.2 and 3). */
const head = new RegExp(
  `[\\r\\n]*(${token}) +([\\x21-\\x7e\\x80-\\xff]+) +HTTP/1\\.([01])\\r\\n${fields}\\r\\n`,
  'y',
);
const chunk = new RegExp(`([0-9A-Fa-f]+)[ \\t]*(?:;${value})?\\r\\n`, 'y');
const trailers = new RegExp(`${fields}\\r\\n`, 'y');

/**
 * Takes bytes apart as RFC 9112 has them, and as nobody may take them apart otherwise: what is not well-formed ends it.
 * This is a second opinion on what a caller has sent, and shares nothing with the parser that it is compared with.
 */
export function requestsIn(bytes: Buffer): StrictlyRead {
  const text = bytes.toString('latin1');
  const whole: StrictRequest[] = [];
  let at = 0;
  for (;;) {
    head.lastIndex = at;
    const [, method = '', target = '', minor = '', section = ''] = head.exec(text) ?? [];
    if (method === '') {
      const rest = text.slice(at).replace(/^[\r\n]+/, '');
      return { whole, rest: rest === '' ? undefined : { method: rest.startsWith('HEAD ') ? 'HEAD' : '' } };
    }
    const headers = fieldsIn(section);
    const body = bodyAt(text, head.lastIndex, headers, minor);
    if (!body) return { whole, rest: { method } };
    whole.push({ method, target, headers, body: Buffer.from(body.content, 'latin1') });
    at = body.end;
    // What follows is no HTTP, or nobody waits for it.
    if (method === 'CONNECT') return { whole, rest: undefined };
  }
}

/** The header lines' names and values. */
function fieldsIn(section: string): [string, string][] {
  return section.split('\r\n').flatMap((line) => {
    const [, name = '', told = ''] = /^(.+?):[\t ]*(.*?)[\t ]*$/.exec(line) ?? [];
    return name === '' ? [] : [[name.toLowerCase(), told]];
  });
}

type Found = { readonly content: string; readonly end: number } | undefined;

function bodyAt(text: string, from: number, headers: [string, string][], minor: string): Found {
  const of = (name: string) => headers.filter(([one]) => one === name).map(([, told]) => told);
  const [codings, lengths] = [of('transfer-encoding'), of('content-length')];
  if (codings.length > 0) {
    const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
    return isChunked && lengths.length === 0 && minor === '1' ? chunksAt(text, from) : undefined;
  }
  if (lengths.length === 0) return { content: '', end: from };
  if (lengths.length > 1 || !/^\d{1,15}$/.test(lengths[0] ?? '')) return undefined;
  const end = from + Number(lengths[0]);
  return end > text.length ? undefined : { content: text.slice(from, end), end };
}

function chunksAt(text: string, from: number): Found {
  let content = '';
  for (let at = from; ; ) {
    chunk.lastIndex = at;
    const [, hex = ''] = chunk.exec(text) ?? [];
    if (hex === '') return undefined;
    const [begin, size] = [chunk.lastIndex, Number.parseInt(hex, 16)];
    if (size === 0) {
      trailers.lastIndex = begin;
      return trailers.test(text) ? { content, end: trailers.lastIndex } : undefined;
    }
    if (text.slice(begin + size, begin + size + 2) !== '\r\n') return undefined;
    content += text.slice(begin, begin + size);
    at = begin + size + 2;
  }
}
