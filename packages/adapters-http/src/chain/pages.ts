import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/**
 * A page in UTF-8 that is the same for every caller, served from memory. `headers` are its own, besides those of every page.
 * `onlyCompressed` is for a large one, whose content would answer a few bytes of a request with very many.
 */
export function page(type: string, text: string | Buffer, headers = {}, onlyCompressed = false) {
  const content = Buffer.from(text);
  let compressing: Promise<Buffer> | undefined;
  const compressed = () => {
    compressing ??= compress(content);
    return compressing;
  };
  // Weak, because the compressed page counts as the same.
  const etag = `W/"${hash('sha256', content, 'base64url').slice(0, 32)}"`;
  return { contentType: `${type}; charset=utf-8`, content, headers, onlyCompressed, compressed, etag };
}

/** What `page` makes. */
export type Page = ReturnType<typeof page>;

/** The page to try the call; its files lie below it. */
export const docsPath = '/docs';

/** Pages by their paths. A page that may change is made for each request. */
export type Pages = ReadonlyMap<string, Page | (() => Promise<Page>)>;

/** Forbids everything from other origins except these `images`, inline code, and a page around this one. */
export function contentSecurityPolicy(images: string): string {
  const sources = `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'`;
  return `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
