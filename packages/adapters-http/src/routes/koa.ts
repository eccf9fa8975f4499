import Router from '@koa/router';
import Koa from 'koa';
import { faults, methodNotSupported, options, routeNotFound } from '../answers/replies.ts';
import { answer, type Middleware, type ServiceState } from '../chain/context.ts';
import { messageFault } from '../messages/message-faults.ts';

/** Case and trailing slashes matter (contract: the path). A router keeps its options, and changes them with `prefix`. */
export const exactRouter = () => new Router<ServiceState>({ sensitive: true, strict: true });

/** A Koa application that begins with these. */
export function koa(beginning: readonly Middleware[]): Koa<ServiceState> {
  const app = new Koa<ServiceState>({ env: 'production' });
  // Koa's own parsing drops a fragment and escapes characters: this returns the bytes.
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
  // What the chain throws is answered and logged by itself; Koa would tell of callers that have left.
  app.silent = true;
  for (const middleware of beginning) app.use(middleware);
  return app;
}

/** Refuses messages that Node's parser accepts, but that a proxy could read differently. */
export const refuseMalformed: Middleware = (context, next) => {
  const fault = messageFault(context.req);
  return fault ? answer(context, faults[fault]) : next();
};

/** The first handler of a route, whose pattern is noted for the log and the metrics. */
export function named(route: string, first: Middleware): Middleware {
  return (context, next) => {
    context.state.call.route = route;
    return first(context, next);
  };
}

/** Answers the methods that a route does not have. `supported`: those that it has. */
export function otherMethods(supported: string): Middleware {
  return (context) => {
    const { method } = context;
    answer(context, method === 'OPTIONS' ? options(supported) : methodNotSupported(method, supported));
  };
}

export const notFound: Middleware = (context) => answer(context, routeNotFound(context.path));

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), without its query. */
function pathOf(target: string): string {
  const origin = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}
