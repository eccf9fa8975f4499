import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import Router from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import {
  answer,
  type CallSettings,
  Calls,
  errorsAsAnswers,
  type HttpLog,
  type Middleware,
  type ServiceState,
} from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import { answerHeaders, headerValues, listed } from '../chain/headers.ts';
import { type Fault, faults, methodNotSupported, movedTo, routeNotFound } from '../chain/replies.ts';
import { strangersLimit } from './limits.ts';
import { docsPath, type Page, type Pages } from './pages.ts';
import { type SetMirrorSettings, setMirror } from './set-mirror.ts';

/** The path as `@koa/router` and other routers write it (contract: the call). */
export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same path as the contract writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

/** What the service as an application needs. */
export interface ApplicationSettings extends SetMirrorSettings {
  readonly calls: Calls;
  readonly capacity: Capacity;
  /** The origins whose pages may call, such as `https://tools.example`; by default, none. */
  readonly origins?: readonly string[] | undefined;
  /** What calls pass before the checks of the route; nothing by default. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What the application answers besides the route: nothing by default. */
  readonly pages?: Pages | undefined;
}

/** The service as a Koa application: the checks of the contract, in their order. */
export function application(settings: ApplicationSettings): Koa<ServiceState> {
  const { calls, capacity, pages = new Map() } = settings;
  const app = koa([...surroundings(calls, settings), refuseMalformed, capacity.middleware]);
  app.use(setMirrorRoutes(settings).routes());
  app.use(pageRoutes(pages).routes());
  return app.use(notFound);
}

/** What every request passes first: its id, log line and counts; errors as answers, the limit of strangers; headers, CORS. */
export function surroundings(
  calls: Calls,
  { origins = [], limits, capacity }: Pick<ApplicationSettings, 'origins'> & Partial<SetMirrorSettings> = {},
): Middleware[] {
  const strangers = limits?.failedKeys && strangersLimit(limits.failedKeys, capacity);
  return [calls.middleware, errorsAsAnswers(calls.settings.log, strangers), ...answerHeaders(origins)];
}

/** The one route (contract: the call). Only its own requests pass the middleware in `before`. */
export function setMirrorRoutes(
  settings: SetMirrorSettings & Pick<ApplicationSettings, 'middleware'>,
  before: readonly Middleware[] = [],
): Router<ServiceState> {
  const { middleware: own = [] } = settings;
  const middleware = own.length > 0 ? [answered, ...own] : [];
  const parts = [...before, routeOf(setMirrorRoute, 'POST'), ...middleware, ...setMirror(settings)];
  // The router composes the parts that it is given anew for each request.
  return exactRouter().all(setMirrorPath, compose(parts));
}

/** Koa would answer in plain text what middleware of a program leaves unanswered. */
const answered: Middleware = async (context, next) => {
  await next();
  if (context.status === 404 && context.body === undefined) notFound(context, next);
};

/** Case and trailing slashes matter (contract: the path). A router changes the options that it is given with `prefix`. */
export const exactRouter = () => new Router<ServiceState>({ sensitive: true, strict: true });

/** A Koa application that begins with this middleware. */
export function koa(beginning: readonly Middleware[]): Koa<ServiceState> {
  const app = new Koa<ServiceState>({ env: 'production' });
  // Koa's own parsing drops a fragment and escapes characters: this getter returns the bytes.
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
  // The chain answers and logs its errors itself; Koa would also print an error for each caller that has left.
  app.silent = true;
  for (const middleware of beginning) app.use(middleware);
  return app;
}

/** Refuses messages that Node's parser accepts, but that a proxy could read differently. */
export const refuseMalformed: Middleware = (context, next) => {
  const fault = messageFault(context.req);
  return fault ? answer(context, faults[fault]) : next();
};

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

export const notFound: Middleware = (context) => answer(context, routeNotFound(context.path));

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), without its query. */
function pathOf(target: string): string {
  const origin = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}

function pageRoutes(pages: Pages): Router<ServiceState> {
  const router = exactRouter();
  for (const [path, page] of pages) router.all(path, readOnly(path), sendPage(page));
  // Other methods of `/` have no route.
  const toDocs: Middleware = (context) => answer(context, movedTo(docsPath));
  return pages.has(docsPath) ? router.get('/', readOnly('/'), toDocs) : router;
}

/** The first part of a route that answers GET and HEAD. */
export const readOnly = (path: string) => routeOf(path, 'GET', 'HEAD');

function sendPage(page: Page): Middleware {
  return async (context) => {
    context.status = 200;
    // A browser revalidates the page on each request, so that it never shows that of another version.
    context.set({ 'Cache-Control': 'no-cache', ...page.headers });
    context.etag = page.etag;
    context.vary('Accept-Encoding');
    if (context.fresh) {
      context.status = 304;
      return;
    }
    context.set('Content-Type', page.contentType);
    const isCompressed = page.onlyCompressed || context.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (isCompressed) context.set('Content-Encoding', 'gzip');
    context.body = isCompressed ? await page.compressed() : page.content;
  };
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

/** All settings except the use case have defaults. */
export type MountSettings = Pick<SetMirrorSettings, 'useCase'> &
  Partial<SetMirrorSettings & CallSettings> &
  Pick<ApplicationSettings, 'origins'>;

/**
 * The route for a Koa application of yours: `app.use(setMirrorRouter({ useCase }).routes())`, before anything that reads
 * bodies. What `HttpServer` does for connections remains to your server: time limits, a bounded load, draining, Node's own
 * answers in JSON. Without a `log`, the error behind a 500 or 503 is an `error` event of your application.
 */
export function setMirrorRouter(settings: MountSettings): Router<ServiceState> {
  return setMirrorRoutes(settings, [...surroundings(new Calls(settings), settings), refuseFragment]);
}

/** Koa leaves a fragment out of the path, with which a target has no route. */
const refuseFragment: Middleware = (context, next) => {
  const path = pathOf(context.req.url ?? '');
  return path.includes('#') ? answer(context, routeNotFound(path)) : next();
};

/** The same for `node:http`, `node:http2`, Express and Fastify; other paths are 404. Without a `log`, errors go to standard error. */
export function setMirrorListener(
  settings: MountSettings,
): (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => Promise<void> {
  // As Koa writes errors: without their properties, which may contain values of parameters.
  const failed: HttpLog['failed'] = (requestId, error, because) => {
    const description = error instanceof Error ? error.stack : String(error);
    console.error(`request ${requestId} was answered ${faults[because].status}: ${description}`);
  };
  const calls = new Calls({ ...settings, log: settings.log ?? { answered: () => {}, failed } });
  const beginning = surroundings(calls, settings);
  return koa(beginning).use(setMirrorRoutes(settings).routes()).use(notFound).callback();
}
