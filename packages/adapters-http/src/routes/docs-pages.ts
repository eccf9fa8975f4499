import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentSecurityPolicy, docsPath, Page, type Pages } from '../chain/pages.ts';

/** The path of the interface as OpenAPI 3.1. */
export const openapiPath = '/public/v1/openapi.json';

const ownFolder = fileURLToPath(new URL('../../docs/', import.meta.url));

const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

const policy = { 'Content-Security-Policy': contentSecurityPolicy("'self' data:") };

/** What the pages of the interface depend on. */
export interface InterfacePagesSettings {
  /** Whether there is the page to try the call. */
  readonly docs?: boolean;
  /** The campaign that it fills in. */
  readonly campaign?: () => Promise<number | undefined>;
}

/**
 * The OpenAPI document and, with `docs`, the page to try the call, which needs `swagger-ui-dist`.
 * @throws Error if that is not installed
 */
export function interfacePages({
  docs = true,
  campaign = async () => undefined,
}: InterfacePagesSettings = {}): Pages {
  const own = (name: string) => readFileSync(join(ownFolder, name));
  const document = JSON.stringify(JSON.parse(own('openapi.json').toString()));
  const pages: Map<string, Page | (() => Promise<Page>)> = new Map([[openapiPath, new Page(json, document)]]);
  if (!docs) return pages;
  const componentFolder = folderOfComponent();
  const ofComponent = (name: string) => readFileSync(join(componentFolder, name));
  return pages
    .set(docsPath, new Page(html, own('index.html'), policy))
    .set(`${docsPath}/demonstration.json`, async () => {
      return new Page(json, JSON.stringify({ campaign: await campaign() }));
    })
    .set(`${docsPath}/page.js`, new Page(javascript, own('page.js')))
    .set(`${docsPath}/errors.js`, new Page(javascript, own('errors.js')))
    .set(`${docsPath}/labels.js`, new Page(javascript, own('labels.js')))
    .set(`${docsPath}/snippets.js`, new Page(javascript, own('snippets.js')))
    .set(`${docsPath}/page.css`, new Page(css, own('page.css')))
    .set(`${docsPath}/swagger-ui.js`, new Page(javascript, ofComponent('swagger-ui-bundle.js')))
    .set(`${docsPath}/swagger-ui.css`, new Page(css, ofComponent('swagger-ui.css')));
}

function folderOfComponent(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  } catch (cause) {
    throw new Error('/docs needs the package swagger-ui-dist: install it, or leave the page out', { cause });
  }
}
