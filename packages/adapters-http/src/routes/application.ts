import { METHODS } from 'node:http';
import type Router from '@koa/router';
import type Koa from 'koa';
import type { Pages } from '../answers/pages.ts';
import { type AnswerHeaderSettings, answerHeaders } from '../chain/answer-headers.ts';
import type { Calls } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import type { Middleware, ServiceState } from '../chain/context.ts';
import { errorsAsAnswers } from '../chain/errors.ts';
import type { HttpLog } from '../chain/http-log.ts';
import { exactRouter, koa, named, notFound, otherMethods, refuseMalformed } from './koa.ts';
import { pageRoutes } from './page-routes.ts';
import { type SetMirrorSettings, setMirror } from './set-mirror.ts';

/** The path as `@koa/router` and other routers write it (contract: the call). */
export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same path as the contract writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

/** What every application needs, whatever it answers. */
export interface SurroundingSettings extends AnswerHeaderSettings {
  readonly calls: Calls;
  /** By default, faults are errors of the Koa application. */
  readonly log?: HttpLog | undefined;
}

/** What the service's application needs. */
export interface ApplicationSettings extends SurroundingSettings, SetMirrorSettings {
  readonly capacity: Capacity;
  /** What the application answers besides the route: nothing by default. */
  readonly pages?: Pages | undefined;
}

/** The service as a Koa application: the checks of the contract, in their order. */
export function application(settings: ApplicationSettings): Koa<ServiceState> {
  const app = koa(surroundings(settings));
  app.use(refuseMalformed);
  app.use(settings.capacity.middleware);
  app.use(setMirrorRoutes(settings).routes());
  app.use(pageRoutes(settings.pages ?? new Map()).routes());
  app.use(notFound);
  return app;
}

/** What every request passes first: request id, log line and counts; errors to answers; headers, CORS. */
export function surroundings({ calls, log, ...headers }: SurroundingSettings): Middleware[] {
  return [calls.middleware, errorsAsAnswers(log), ...answerHeaders(headers)];
}

/** The one route (contract: the call). What its requests pass `before` it is nothing to the other routes of an application. */
export function setMirrorRoutes(
  settings: SetMirrorSettings,
  before: readonly Middleware[] = [],
): Router<ServiceState> {
  const router = exactRouter();
  router.post(setMirrorPath, ...before, named(setMirrorRoute, setMirror(settings)));
  // Not `all`, which would take part in the call, too.
  const others = METHODS.filter((method) => method !== 'POST');
  router.register(setMirrorPath, others, [...before, named(setMirrorRoute, otherMethods('POST'))]);
  return router;
}
