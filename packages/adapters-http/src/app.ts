import type { IncomingMessage } from 'node:http';
import { Unavailable } from '@campaign-mirror/domain';
import Koa from 'koa';
import type { Exchange } from './exchange.ts';
import type { HttpLog } from './http-log.ts';
import { routeNotFound } from './replies.ts';
import { type RouteState, type SetMirrorSettings, setMirrorRouter } from './set-mirror-route.ts';

export interface AppSettings extends SetMirrorSettings {
  readonly log: HttpLog;
}

/** Answers an exchange by the Koa application. Koa itself answers nothing. */
export function koaHandler(settings: AppSettings): (exchange: Exchange) => void {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const app = new Koa<RouteState>({ env: 'production' });
  answerByOurselves(app);
  app.use(async (context, next) => {
    const exchange = exchanges.get(context.req) as Exchange;
    context.respond = false;
    context.state.exchange = exchange;
    try {
      await next();
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      settings.log.failed(exchange.requestId, error, because);
      exchange.answer(settings.replies.fault(because));
    }
  });
  app.use(setMirrorRouter(settings).routes());
  app.use(({ state: { exchange }, path }) => {
    if (!exchange.answered) exchange.answer(routeNotFound(path));
  });
  const handle = app.callback();
  return (exchange) => {
    exchanges.set(exchange.request, exchange);
    void handle(exchange.request, exchange.response);
  };
}

/** Keeps Koa's error pages and messages away, and its reading of the path: ours is the path's bytes. */
function answerByOurselves(app: Koa<RouteState>): void {
  app.silent = true;
  app.on('error', () => {});
  app.context.onerror = () => {};
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
}

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), its query left out. */
export function pathOf(target: string): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0;
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}
