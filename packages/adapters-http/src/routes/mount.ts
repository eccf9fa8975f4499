import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from '@koa/router';
import type { AnswerHeaderSettings } from '../chain/answer-headers.ts';
import { type CallSettings, Calls } from '../chain/calls.ts';
import type { ServiceState } from '../chain/context.ts';
import { silentLog } from '../chain/http-log.ts';
import { setMirrorRoutes, surroundings } from './application.ts';
import { exactPaths, koa, notFound } from './koa.ts';
import type { SetMirrorSettings } from './set-mirror.ts';

/** All but the use case have defaults. */
export type MountSettings = Pick<SetMirrorSettings, 'useCase'> &
  Partial<SetMirrorSettings & CallSettings> &
  AnswerHeaderSettings;

/**
 * The route for a Koa application of yours: `app.use(setMirrorRouter({ useCase }).routes())`. Mount it before anything
 * that reads bodies: an address is stored as its bytes were sent. The answers are the contract's. What `HttpServer` does
 * for connections remains to your server: time limits, a bounded load, draining, Node's own answers in JSON.
 */
export function setMirrorRouter(settings: MountSettings): Router<ServiceState> {
  const all = withDefaults(settings);
  const router = new Router<ServiceState>(exactPaths).use(...surroundings(all));
  return router.use(setMirrorRoutes(all).routes());
}

/** The same for `node:http`, Express and Fastify. Requests for other paths get the contract's 404. */
export function setMirrorListener(
  settings: MountSettings,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const all = withDefaults(settings);
  return koa(surroundings(all)).use(setMirrorRoutes(all).routes()).use(notFound).callback();
}

function withDefaults(settings: MountSettings) {
  const { log = silentLog } = settings;
  return { ...settings, log, calls: new Calls({ ...settings, log }) };
}
