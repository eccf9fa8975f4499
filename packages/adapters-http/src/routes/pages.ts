import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Reply } from '../chain/replies.ts';

/** Makes the answer to GET and HEAD, the same for every caller. */
export type Page = () => Reply | Promise<Reply>;

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** A page in UTF-8. */
export function staticPage(type: string, body: string | Buffer, headers = {}): Page {
  return () => ({ status: 200, contentType: `${type}; charset=utf-8`, body, headers });
}

const compress = promisify(gzip);

/** Compressed for every caller: a request of a few bytes must not cause a large answer. */
function compressedPage(type: string, content: Buffer): Page {
  let compressed: Promise<Buffer> | undefined;
  return async () => {
    compressed ??= compress(content);
    return staticPage(type, await compressed, { 'Content-Encoding': 'gzip' })();
  };
}

/** The page to try the call. Its files have paths below it. */
export const docsPath = '/docs';

/** Forbids other origins, except for `images`, inline code, and framing. */
export function contentSecurityPolicy(images: string): string {
  const sources = `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'`;
  return `${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The path of the interface as OpenAPI 3.1. */
export const openapiPath = '/public/v1/openapi.json';

/** The options of `interfacePages`. */
export interface InterfacePagesSettings {
  /** Whether `/docs` is served, which needs `swagger-ui-dist`; true by default. */
  readonly docs?: boolean;
}

/** The OpenAPI document and the page to try the call. @throws Error if `swagger-ui-dist` is needed but missing */
export function interfacePages({ docs = true }: InterfacePagesSettings = {}): Pages {
  const own = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url));
  const document = JSON.stringify(JSON.parse(own('openapi.json').toString()));
  const pages = new Map([[openapiPath, staticPage('application/json', document)]]);
  if (!docs) return pages;
  const policy = { 'Content-Security-Policy': contentSecurityPolicy("'self' data:") };
  const { resolve } = createRequire(import.meta.url);
  const ofComponent = (name: string) => readFileSync(resolve(`swagger-ui-dist/${name}`));
  for (const name of ['page.js', 'snippets.js'])
    pages.set(`${docsPath}/${name}`, staticPage('text/javascript', own(name)));
  return pages
    .set(docsPath, staticPage('text/html', own('index.html'), policy))
    .set(`${docsPath}/page.css`, staticPage('text/css', own('page.css')))
    .set(`${docsPath}/swagger-ui.js`, compressedPage('text/javascript', ofComponent('swagger-ui-bundle.js')))
    .set(`${docsPath}/swagger-ui.css`, compressedPage('text/css', ofComponent('swagger-ui.css')));
}
