import type { IncomingMessage, ServerResponse } from 'node:http';
import type Router from '@koa/router';
import { type CallSettings, Calls, type HttpLog, type ServiceState } from '../chain/calls.ts';
import { faults } from '../chain/replies.ts';
import { type ApplicationSettings, koa, notFound, setMirrorRoutes, surroundings } from './application.ts';
import type { SetMirrorSettings } from './set-mirror.ts';

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
  return setMirrorRoutes(settings, surroundings(new Calls(settings), settings));
}

/** The same for `node:http`, Express and Fastify; other paths are 404. Without a `log`, errors go to standard error. */
export function setMirrorListener(
  settings: MountSettings,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const calls = new Calls({ ...settings, log: settings.log ?? standardError });
  const beginning = surroundings(calls, settings);
  return koa(beginning).use(setMirrorRoutes(settings).routes()).use(notFound).callback();
}

/** Writes errors as Koa does: without their properties, which may contain values of parameters. */
const standardError: HttpLog = {
  answered: () => {},
  failed: (requestId, error, because) => {
    const description = error instanceof Error ? error.stack : String(error);
    console.error(`request ${requestId} was answered ${faults[because].status}: ${description}`);
  },
};
