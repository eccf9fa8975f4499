import type Router from '@koa/router';
import { docsPath, type Page, type Pages } from '../answers/pages.ts';
import { movedTo } from '../answers/replies.ts';
import { answer, type Middleware, type ServiceState } from '../chain/context.ts';
import { exactRouter, named, otherMethods } from './koa.ts';

/** Pages that are read-only and the same for every caller. */
export function pageRoutes(pages: Pages): Router<ServiceState> {
  const router = exactRouter();
  for (const [path, page] of pages) readOnly(router, path, show(page));
  // Other methods have no route there, as without the page.
  if (pages.has(docsPath))
    router.get(
      '/',
      named('/', (context) => answer(context, movedTo(docsPath))),
    );
  return router;
}

/** A path that answers GET and HEAD. */
export function readOnly(router: Router<ServiceState>, path: string, read: Middleware): void {
  router.get(path, named(path, read)).all(path, named(path, otherMethods('GET, HEAD')));
}

function show(given: Page | (() => Promise<Page>)): Middleware {
  return async (context) => {
    const page = typeof given === 'function' ? await given() : given;
    context.status = 200;
    // Revalidated on each request and sent only if changed, so the page never belongs to another version.
    context.set({ 'Cache-Control': 'no-cache', ...page.headers });
    context.etag = page.etag;
    context.vary('Accept-Encoding');
    if (context.fresh) {
      context.status = 304;
      return;
    }
    context.set('Content-Type', page.contentType);
    const isCompressed = context.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (isCompressed) context.set('Content-Encoding', 'gzip');
    context.body = isCompressed ? await page.compressed() : page.content;
  };
}
