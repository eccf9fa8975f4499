import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { contentSecurityPolicy, docsPath, type Page, type Pages, page } from '../chain/pages.ts';

/** The path of the interface as OpenAPI 3.1. */
export const openapiPath = '/public/v1/openapi.json';

const ownFolder = new URL('../../docs/', import.meta.url);

const policy = { 'Content-Security-Policy': contentSecurityPolicy("'self' data:") };

/** What the pages of the interface depend on. */
export interface InterfacePagesSettings {
  /** Whether there is the page to try the call; true by default. */
  readonly docs?: boolean;
  /** The campaign that it fills in; none by default. */
  readonly campaign?: () => Promise<number | undefined>;
}

/**
 * The OpenAPI document and, with `docs`, the page to try the call, which needs `swagger-ui-dist`.
 * @throws Error if that is not installed
 */
export function interfacePages({ docs = true, campaign }: InterfacePagesSettings = {}): Pages {
  const own = (name: string) => readFileSync(new URL(name, ownFolder));
  const document = JSON.stringify(JSON.parse(own('openapi.json').toString()));
  const pages: Map<string, Page | (() => Promise<Page>)> = new Map([
    [openapiPath, page('application/json', document)],
  ]);
  if (!docs) return pages;
  const { resolve } = createRequire(import.meta.url);
  const ofComponent = (name: string) => readFileSync(resolve(`swagger-ui-dist/${name}`));
  for (const name of ['page.js', 'errors.js', 'labels.js', 'snippets.js'])
    pages.set(`${docsPath}/${name}`, page('text/javascript', own(name)));
  return pages
    .set(docsPath, page('text/html', own('index.html'), policy))
    .set(`${docsPath}/demonstration.json`, async () => {
      return page('application/json', JSON.stringify({ campaign: await campaign?.() }));
    })
    .set(`${docsPath}/page.css`, page('text/css', own('page.css')))
    .set(`${docsPath}/swagger-ui.js`, page('text/javascript', ofComponent('swagger-ui-bundle.js'), {}, true))
    .set(`${docsPath}/swagger-ui.css`, page('text/css', ofComponent('swagger-ui.css'), {}, true));
}
