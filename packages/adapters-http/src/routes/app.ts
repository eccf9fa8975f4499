import Router from '@koa/router';
import Koa from 'koa';
import type { Pages } from '../answers/pages.ts';
import { routeNotFound } from '../answers/replies.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { HttpLog } from '../listener/http-log.ts';
import { answering } from './answering.ts';
import { type SetMirrorSettings, setMirrorHandler, setMirrorPath } from './set-mirror-route.ts';

interface RouteState {
  exchange: Exchange;
}

/** What the application needs to know. */
export interface AppSettings extends SetMirrorSettings {
  readonly log: HttpLog;
  /** What the application answers besides the route. */
  readonly pages?: Pages;
}

/**
 * Answers an exchange with Koa's context and router. `app.callback()` is not used: the exchange already answers errors
 * and watches the end of each response.
 */
export function koaHandler(settings: AppSettings): (exchange: Exchange) => void {
  const app = new Koa<RouteState>({ env: 'production' });
  keepPathAsSent(app);
  const answer = setMirrorHandler(settings);
  const route = new Router<RouteState>({ sensitive: true, strict: true })
    .all(setMirrorPath, (context) => answer(context, context.state.exchange))
    .routes();
  // The router adds the other fields that it expects.
  type RouteContext = Parameters<typeof route>[0];
  return (exchange) => {
    const context = app.createContext<RouteState>(exchange.request, exchange.response) as RouteContext;
    context.state.exchange = exchange;
    return answering(exchange, settings, () =>
      route(context, () => answerElsewhere(settings.pages, exchange, context.path)),
    );
  };
}

async function answerElsewhere(pages: Pages | undefined, exchange: Exchange, path: string): Promise<void> {
  const page = pages?.get(path);
  if (!page) return exchange.answer(routeNotFound(path));
  exchange.route = path;
  exchange.answer(await page.reply(exchange.request));
}

/** Replaces Koa's parsing of the path: ours returns the bytes of the path. */
function keepPathAsSent(app: Koa<RouteState>): void {
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
}

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), without its query. */
export function pathOf(target: string): string {
  const origin = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}
