/* The two Koa applications: for callers and for operators. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import { answer, type Calls, errorsAsAnswers, type Middleware, type ServiceState } from '../chain/calls.ts';
import { headerValues, listed } from '../chain/headers.ts';
import { refusalLimit, type Slots } from '../chain/limits.ts';
import { type Fault, faultReplies, methodNotSupported, misdirected, movedTo } from '../chain/replies.ts';
import { docsPath, type Page, type Pages } from './pages.ts';
import { type SetMirrorSettings, setMirror } from './set-mirror.ts';

/** The path as the contract writes it (contract: the call). */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

/** The parts of the application for callers. */
export interface ApplicationSettings extends SetMirrorSettings {
  readonly calls: Calls;
  /** The origins whose pages may call, such as `https://tools.example`; by default, none. */
  readonly origins?: readonly string[] | undefined;
  /** Runs before the checks of the route; none by default. It must not read the body. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Pages besides the route; none by default. */
  readonly pages?: Pages | undefined;
}

/**
 * The application for callers: the checks of the contract, in their order. Its `callback()` is a request listener for
 * any server of `node:http`.
 */
export function application(settings: ApplicationSettings): Koa<ServiceState> {
  const { slots, middleware = [], pages = new Map() } = settings;
  // The router would compose these parts again for each request.
  const parts = compose([routeOf(setMirrorRoute, 'POST'), ...middleware, setMirror(settings)]);
  const router = exactRouter().all(setMirrorRoute.replace('{campaign}', ':campaign'), parts);
  addPages(router, pages);
  // Other methods of `/` have no route.
  if (pages.has(docsPath)) router.get('/', readOnly('/'), (context) => answer(context, movedTo(docsPath)));
  const app = koa(settings).use(slots.middleware);
  app.use(router.routes());
  return app;
}

/** The conditions of readiness by name, and whether each is met. */
export type Checks = Readonly<Record<string, boolean>>;

/** The parts of the application for operators. */
export interface OpsSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** The conditions of readiness; the body of `/readyz`. */
  readonly readiness: () => Promise<Checks>;
  /** The versions of what runs; the body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, Page>>;
  /** The host names, in lower case, that requests may name besides IP addresses and `localhost`. */
  readonly names?: readonly string[];
}

/** The application for operators, which is read-only: `/livez`, `/readyz`, `/version`, and the paths of `more`. */
export function opsApplication(settings: OpsSettings): Koa<ServiceState> {
  const { slots, readiness, version, more, names = [] } = settings;
  const pages: Readonly<Record<string, Page>> = {
    ...more,
    // The answer shows that the event loop runs.
    '/livez': () => checked({}, 'alive'),
    '/readyz': async () => checked(await readiness().catch(() => ({ service: false })), 'ready'),
    '/version': () => ({ status: 200, body: JSON.stringify(version) }),
  };
  const router = exactRouter();
  addPages(router, new Map(Object.entries(pages)));
  const onlyNamed = onlyByName(new Set(['', 'localhost', ...names]));
  const app = koa(settings).use(onlyNamed).use(slots.middleware).use(slots.hold);
  app.use(router.routes());
  return app;
}

function checked(checks: Checks, good: string) {
  const passed = Object.values(checks).every(Boolean);
  const body = JSON.stringify({ status: passed ? good : `not ${good}`, checks });
  return { status: passed ? 200 : 503, body };
}

/** Against DNS rebinding: a page whose name resolves to our address could read the answers. `Host` has its name. */
function onlyByName(names: ReadonlySet<string>): Middleware {
  return (context, next) => {
    const [, ipv6, name = ''] =
      /^(?:\[(.*)\]|([^:]*?)\.?)(?::\d*)?$/.exec(context.req.headers.host ?? '') ?? [];
    const isKnown = isIP(ipv6 ?? name) !== 0 || (ipv6 === undefined && names.has(name.toLowerCase()));
    return isKnown ? next() : answer(context, misdirected);
  };
}

/** A router for which case and trailing slashes matter (contract: the path). */
const exactRouter = () => new Router<ServiceState>({ sensitive: true, strict: true });

/** The first parts of both applications. The last one refuses messages that a proxy could read differently. */
function koa(settings: Pick<ApplicationSettings, 'calls' | 'slots' | 'origins' | 'limits'>) {
  const { calls, slots, origins = [], limits } = settings;
  const app = new Koa<ServiceState>({ env: 'production' });
  // Koa's own `path` drops a fragment and escapes characters; this one has the bytes as sent.
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
  const { log } = calls.settings;
  // The chain logs its errors. Koa would also print an error for each caller that has left.
  app.silent = log !== undefined;
  const limit = limits?.failedKeys && refusalLimit(limits.failedKeys, slots);
  app.use(calls.middleware).use(errorsAsAnswers(log, limit));
  if (origins.length > 0) app.use(callsFrom(origins));
  return app.use((context, next) => {
    const fault = messageFault(context.req);
    return fault ? answer(context, faultReplies[fault]) : next();
  });
}

/** Allows calls from pages of these origins, with any header (the CORS protocol of the Fetch standard). */
function callsFrom(origins: readonly string[]): Middleware {
  const limits = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
  return cors({
    origin: (context) => (origins.includes(context.get('Origin')) ? context.get('Origin') : ''),
    allowMethods: 'POST',
    exposeHeaders: `ETag, X-Request-Id, Retry-After, WWW-Authenticate, Allow, ${limits}`,
    // In seconds. Browsers use the answer to a preflight that long, even if the origin is removed.
    maxAge: 600,
  });
}

/** The first part of a route: sets its pattern for the log and the metrics, and answers other methods. */
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

const readOnly = (path: string) => routeOf(path, 'GET', 'HEAD');

function addPages(router: Router<ServiceState>, pages: Pages): void {
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
  // Node decodes no other transfer coding; HTTP/1.0 has none (RFC 9112, section 6.1).
  const coding = request.headers['transfer-encoding']?.trim().toLowerCase();
  if (coding !== undefined && (request.httpVersionMinor === 0 || coding !== 'chunked')) return 'bad-request';
  const hosts = headerValues(request, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersionMinor === 1)) return 'bad-request';
  if (!host.test(hosts[0] ?? '')) return 'bad-request';
  const isMet = listed(request.headers.expect).every((expectation) => /^100-continue$/i.test(expectation));
  return isMet ? undefined : 'expectation-failed';
}
