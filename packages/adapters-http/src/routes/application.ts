import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import { answer, type Calls, errorsAsAnswers, type Middleware, type ServiceState } from '../chain/calls.ts';
import { callsFrom, headerValues, listed } from '../chain/headers.ts';
import { type Fault, faults, methodNotSupported, movedTo } from '../chain/replies.ts';
import type { Slots } from '../chain/slots.ts';
import { strangersLimit } from './limits.ts';
import { docsPath, type Pages } from './pages.ts';
import { type SetMirrorSettings, setMirror } from './set-mirror.ts';

/** The path as the contract writes it (contract: the call). */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';
/** The same path as `@koa/router` writes it. */
const setMirrorPath = setMirrorRoute.replace('{campaign}', ':campaign');

/** What the service as an application needs. */
export interface ApplicationSettings extends SetMirrorSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** The origins whose pages may call, such as `https://tools.example`; by default, none. */
  readonly origins?: readonly string[] | undefined;
  /** What calls pass before the checks of the route; nothing by default. It must leave the body unread. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What the application answers besides the route: nothing by default. */
  readonly pages?: Pages | undefined;
}

/**
 * The service as a Koa application: the checks of the contract, in their order. Its `callback()` is a listener for the
 * requests of any server of `node:http`.
 */
export function application(settings: ApplicationSettings): Koa<ServiceState> {
  const { slots, middleware = [], pages = new Map() } = settings;
  // The router would compose the parts anew for each request.
  const parts = compose([routeOf(setMirrorRoute, 'POST'), ...middleware, setMirror(settings)]);
  const router = exactRouter().all(setMirrorPath, parts);
  addPages(router, pages);
  // Other methods of `/` have no route.
  if (pages.has(docsPath)) router.get('/', readOnly('/'), (context) => answer(context, movedTo(docsPath)));
  const app = koa(settings).use(slots.middleware);
  app.use(router.routes());
  return app;
}

/** A router for which case and trailing slashes matter (contract: the path). */
export const exactRouter = () => new Router<ServiceState>({ sensitive: true, strict: true });

/**
 * A Koa application that begins with what every request passes: its id, log line and counts; errors as answers, the
 * limit of strangers; CORS; the refusal of messages that Node's parser accepts, but that a proxy could read differently.
 */
export function koa(settings: Pick<ApplicationSettings, 'calls' | 'slots' | 'origins' | 'limits'>) {
  const { calls, slots, origins = [], limits } = settings;
  const app = new Koa<ServiceState>({ env: 'production' });
  // Koa's own parsing drops a fragment and escapes characters: this getter returns the bytes.
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
  const { log } = calls.settings;
  // The chain tells the log of its errors; Koa would also print an error for each caller that has left.
  app.silent = log !== undefined;
  const strangers = limits?.failedKeys && strangersLimit(limits.failedKeys, slots);
  app.use(calls.middleware).use(errorsAsAnswers(log, strangers));
  if (origins.length > 0) app.use(callsFrom(origins));
  return app.use((context, next) => {
    const fault = messageFault(context.req);
    return fault ? answer(context, faults[fault]) : next();
  });
}

/** The first part of a route: notes its pattern for the log and the metrics, and answers the methods that it lacks. */
function routeOf(pattern: string, ...methods: string[]): Middleware {
  const supported = methods.join(', ');
  const options = { status: 204, headers: { Allow: supported } };
  return (context, next) => {
    context.state.call.route = pattern;
    const { method } = context;
    if (methods.includes(method)) return next();
    return answer(context, method === 'OPTIONS' ? options : methodNotSupported(method, supported));
  };
}

/** The first part of a route that answers GET and HEAD. */
const readOnly = (path: string) => routeOf(path, 'GET', 'HEAD');

/** A route for each page, by its path. */
export function addPages(router: Router<ServiceState>, pages: Pages): void {
  for (const [path, page] of pages)
    router.all(path, readOnly(path), async (context) => answer(context, await page()));
}

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), without its query. */
function pathOf(target: string): string {
  const origin = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}

/** A host and a port, or nothing (RFC 9112, section 3.2; RFC 3986, section 3.2.2). */
const host = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

export function messageFault(request: IncomingMessage): Fault | undefined {
  if (request.httpVersionMajor !== 1) return 'bad-request';
  // A transfer coding that is not decoded, or any at all in HTTP/1.0 (RFC 9112, section 6.1).
  const coding = request.headers['transfer-encoding']?.trim().toLowerCase();
  if (coding !== undefined && (request.httpVersionMinor === 0 || coding !== 'chunked')) return 'bad-request';
  const hosts = headerValues(request, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersionMinor === 1)) return 'bad-request';
  if (!host.test(hosts[0] ?? '')) return 'bad-request';
  const isMet = listed(request.headers.expect).every((expectation) => /^100-continue$/i.test(expectation));
  return isMet ? undefined : 'expectation-failed';
}
