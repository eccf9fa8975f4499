import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** Forbids everything from other origins except these `images`, inline code, and a page around this one. */
export function contentSecurityPolicy(images: string): string {
  const sources = `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'`;
  return `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The path of the interface as OpenAPI 3.1. */
export const openapiPath = '/public/v1/openapi.json';

/** What the pages of the interface depend on. */
export interface InterfacePagesSettings {
  /** Whether there is the page to try the call, which needs `swagger-ui-dist`; true by default. */
  readonly docs?: boolean;
}

/** The OpenAPI document and the page to try the call. @throws Error if `swagger-ui-dist` is needed, and not installed */
export function interfacePages({ docs = true }: InterfacePagesSettings = {}): Pages {
  const own = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url));
  const document = JSON.stringify(JSON.parse(own('openapi.json').toString()));
  const pages = new Map<string, Page>();
  pages.set(openapiPath, page('application/json', document));
  if (!docs) return pages;
  const policy = { 'Content-Security-Policy': contentSecurityPolicy("'self' data:") };
  const { resolve } = createRequire(import.meta.url);
  const ofComponent = (name: string) => readFileSync(resolve(`swagger-ui-dist/${name}`));
  for (const name of ['page.js', 'errors.js', 'labels.js', 'snippets.js'])
    pages.set(`${docsPath}/${name}`, page('text/javascript', own(name)));
  return pages
    .set(docsPath, page('text/html', own('index.html'), policy))
    .set(`${docsPath}/page.css`, page('text/css', own('page.css')))
    .set(`${docsPath}/swagger-ui.js`, page('text/javascript', ofComponent('swagger-ui-bundle.js'), {}, true))
    .set(`${docsPath}/swagger-ui.css`, page('text/css', ofComponent('swagger-ui.css'), {}, true));
}
