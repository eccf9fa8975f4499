import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentSecurityPolicy, Page, type Pages } from '../answers/pages.ts';

/** The path of the interface as OpenAPI 3.1. */
export const openapiPath = '/public/v1/openapi.json';
const docsPath = '/docs';

const ownFolder = fileURLToPath(new URL('../../docs/', import.meta.url));
const require = createRequire(import.meta.url);
const componentFolder = dirname(require.resolve('swagger-ui-dist/package.json'));

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

const policy = { 'Content-Security-Policy': contentSecurityPolicy("'self' data:") };

/** The OpenAPI document and, with `docs`, the page to try the call. */
export function interfacePages({ docs = true } = {}): Pages {
  const own = (name: string) => readFileSync(join(ownFolder, name));
  const document = JSON.stringify(JSON.parse(own('openapi.json').toString()));
  const pages = new Map([[openapiPath, new Page('application/json; charset=utf-8', document)]]);
  if (!docs) return pages;
  const ofComponent = (name: string) => readFileSync(join(componentFolder, name));
  return pages
    .set(docsPath, new Page(html, own('index.html'), policy))
    .set(`${docsPath}/page.js`, new Page(javascript, own('page.js')))
    .set(`${docsPath}/labels.js`, new Page(javascript, own('labels.js')))
    .set(`${docsPath}/snippets.js`, new Page(javascript, own('snippets.js')))
    .set(`${docsPath}/page.css`, new Page(css, own('page.css')))
    .set(`${docsPath}/swagger-ui.js`, new Page(javascript, ofComponent('swagger-ui-bundle.js')))
    .set(`${docsPath}/swagger-ui.css`, new Page(css, ofComponent('swagger-ui.css')));
}
