import { Unavailable } from '@campaign-mirror/domain';
import Koa from 'koa';
import type { Pages } from '../answers/pages.ts';
import { routeNotFound } from '../answers/replies.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { HttpLog } from '../listener/http-log.ts';
import { type RouteState, type SetMirrorSettings, setMirrorRouter } from './set-mirror-route.ts';

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
  const { log, replies, pages } = settings;
  const app = new Koa<RouteState>({ env: 'production' });
  keepPathAsSent(app);
  const route = setMirrorRouter(settings).routes();
  // The router adds the other fields that it expects.
  type RouteContext = Parameters<typeof route>[0];
  return async (exchange) => {
    const context = app.createContext<RouteState>(exchange.request, exchange.response) as RouteContext;
    context.state.exchange = exchange;
    try {
      await route(context, () => answerElsewhere(pages, exchange, context.path));
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      exchange.trace?.failed(error);
      log.failed(exchange.requestId, error, because, exchange.trace);
      exchange.answer(replies.fault(because));
    }
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
