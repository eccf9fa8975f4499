import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A page that is the same for every caller, served from memory. */
export class Page {
  readonly contentType: string;
  readonly content: Buffer;
  /** Headers besides those of every page. */
  readonly headers: Readonly<Record<string, string>>;
  /** Weak, because the compressed page counts as the same. */
  readonly etag: string;
  /** For a large page, whose content would answer a few bytes of a request with very many. */
  readonly onlyCompressed: boolean;
  #compressed: Promise<Buffer> | undefined;

  constructor(
    contentType: string,
    content: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
    onlyCompressed = false,
  ) {
    this.contentType = contentType;
    this.content = Buffer.from(content);
    this.headers = headers;
    this.onlyCompressed = onlyCompressed;
    this.etag = `W/"${createHash('sha256').update(this.content).digest('base64url').slice(0, 32)}"`;
  }

  /** The content, compressed by gzip. */
  compressed(): Promise<Buffer> {
    this.#compressed ??= compress(this.content);
    return this.#compressed;
  }
}

/** The page to try the call; its files lie below it. */
export const docsPath = '/docs';

/** Pages by their paths. A page that may change is made for each request. */
export type Pages = ReadonlyMap<string, Page | (() => Promise<Page>)>;

/** Forbids everything from other origins except these `images`, inline code, and a page around this one. */
export function contentSecurityPolicy(images: string): string {
  const sources = `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'`;
  return `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
