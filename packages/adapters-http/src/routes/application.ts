import Koa from 'koa';
import type { Pages } from '../answers/pages.ts';
import { faults, routeNotFound } from '../answers/replies.ts';
import { answer } from '../chain/answer.ts';
import { type AnswerHeaderSettings, answerHeaders } from '../chain/answer-headers.ts';
import type { Calls } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import type { Middleware, ServiceState } from '../chain/context.ts';
import { errorsAsAnswers } from '../chain/errors.ts';
import type { HttpLog } from '../chain/http-log.ts';
import { messageFault } from '../messages/message-faults.ts';
import { pageRoutes } from './page-routes.ts';
import { type SetMirrorSettings, setMirrorRoutes } from './set-mirror-router.ts';

/** What every application needs, whatever it answers. */
export interface SurroundingSettings extends AnswerHeaderSettings {
  readonly calls: Calls;
  readonly log: HttpLog;
  /** What stands before the chain, such as a middleware that traces requests. */
  readonly before?: readonly Middleware[] | undefined;
}

/** What the service's application needs. */
export interface ApplicationSettings extends SurroundingSettings, SetMirrorSettings {
  readonly capacity: Capacity;
  /** What the application answers besides the route. */
  readonly pages: Pages;
}

/** The service as a Koa application: the checks of the contract, in their order. */
export function application(settings: ApplicationSettings): Koa<ServiceState> {
  const { capacity, pages } = settings;
  const app = koa(settings);
  app.use(refuseMalformed);
  app.use(capacity.middleware);
  app.use(setMirrorRoutes(settings).routes());
  app.use(pageRoutes(pages).routes());
  app.use(notFound);
  return app;
}

/** What every request passes first: identifier, log and counts; errors as answers; headers. */
export function surroundings({ before = [], calls, log, ...headers }: SurroundingSettings): Middleware[] {
  return [...before, calls.middleware, errorsAsAnswers(log), ...answerHeaders(headers)];
}

/** A Koa application that begins with them. */
export function koa(settings: SurroundingSettings): Koa<ServiceState> {
  const app = new Koa<ServiceState>({ env: 'production' });
  keepPathAsSent(app);
  // What the chain throws is answered and logged by itself; Koa would tell of callers that have left.
  app.silent = true;
  for (const middleware of surroundings(settings)) app.use(middleware);
  return app;
}

/** Refuses messages that Node's parser accepts, but that a proxy could read differently. */
export const refuseMalformed: Middleware = (context, next) => {
  const fault = messageFault(context.req);
  return fault ? answer(context, faults[fault]) : next();
};

export const notFound: Middleware = (context) => answer(context, routeNotFound(context.path));

/** Replaces Koa's parsing of the path, which drops a fragment and escapes characters: this returns its bytes. */
function keepPathAsSent(app: Koa<ServiceState>): void {
  Object.defineProperty(app.request, 'path', {
    get(this: Koa.Request) {
      return pathOf(this.req.url ?? '');
    },
  });
}

/** The path of a request target in origin or absolute form (RFC 9112, section 3.2), without its query. */
function pathOf(target: string): string {
  const origin = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  const query = target.indexOf('?', origin);
  return target.slice(origin, query === -1 ? undefined : query) || '/';
}
