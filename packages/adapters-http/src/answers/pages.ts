import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { methodNotSupported, options, type Reply } from './replies.ts';

const compress = promisify(gzip);
const methods = 'GET, HEAD';
/** In bytes. Smaller pages are not worth compressing. */
const worthCompressing = 1_024;

/** Pages that are read-only and the same for every caller, served from memory. */
export class Page {
  readonly #bytes: Buffer;
  readonly #contentType: string;
  readonly #etag: string;
  /** Of every answer, including 304 (RFC 9110, section 15.4.5). */
  readonly #headers: Readonly<Record<string, string>>;
  #compressed: Promise<Buffer> | undefined;

  /** `headers`: additional ones. */
  constructor(contentType: string, content: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.#bytes = Buffer.from(content);
    this.#contentType = contentType;
    // Weak, because the compressed page counts as the same.
    this.#etag = `W/"${createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 32)}"`;
    this.#headers = {
      ETag: this.#etag,
      ...headers,
      ...(this.#isWorthCompressing && { Vary: 'Accept-Encoding' }),
    };
  }

  get #isWorthCompressing(): boolean {
    return this.#bytes.length >= worthCompressing;
  }

  /** Answers GET, HEAD and OPTIONS; 304 and compression as the request asks for. */
  async reply(request: IncomingMessage): Promise<Reply> {
    const { method = '' } = request;
    if (method === 'OPTIONS') return options(methods);
    if (method !== 'GET' && method !== 'HEAD') return methodNotSupported(method, methods);
    // Revalidated on each request and sent only if changed, so the page never belongs to another version.
    const headers = this.#headers;
    const cacheControl = 'no-cache';
    if (isAmong(this.#etag, request.headers['if-none-match'])) return { status: 304, cacheControl, headers };
    const page = { status: 200, contentType: this.#contentType, cacheControl };
    if (!this.#isWorthCompressing || !takesGzip(request.headers['accept-encoding']))
      return { ...page, headers, body: this.#bytes };
    this.#compressed ??= compress(this.#bytes);
    return { ...page, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await this.#compressed };
  }
}

/** Nothing from other origins but these `images`, no inline code, and no page around it. */
export function contentSecurityPolicy(images: string): string {
  const sources = `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'`;
  return `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** By their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** A weak comparison (RFC 9110, section 13.1.2). */
function isAmong(etag: string, list: string | undefined): boolean {
  if (list === undefined) return false;
  const tags = list.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}

function takesGzip(list: string | undefined): boolean {
  return /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[^,]*)?(?:,|$)/i.test(list ?? '');
}
