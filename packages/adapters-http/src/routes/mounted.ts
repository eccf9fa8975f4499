import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { AnswerHeaders } from '../answers/answer-headers.ts';
import { Replies } from '../answers/replies.ts';
import { platformClock } from '../listener/clock.ts';
import { Exchange } from '../listener/exchange.ts';
import { type HttpLog, silentLog } from '../listener/http-log.ts';
import { type HttpObserver, silentHttpObserver } from '../listener/http-observer.ts';
import { ConnectionClient, noProxies, type TrustedProxies } from '../messages/client-address.ts';
import { answering } from './answering.ts';
import { koaHandler, pathOf } from './app.ts';
import { type SetMirrorSettings, setMirrorHandler, setMirrorPath } from './set-mirror-route.ts';

/** All but the use case have defaults. */
export interface MountSettings extends Partial<SetMirrorSettings> {
  readonly useCase: SetCampaignMirror;
  /** None by default. */
  readonly log?: HttpLog;
  /** None by default. */
  readonly observer?: HttpObserver;
  /** The proxies whose forwarding headers are trusted; none by default. */
  readonly proxies?: TrustedProxies;
  /** The headers that every answer carries; `nosniff` and `no-referrer` by default. */
  readonly answerHeaders?: AnswerHeaders;
}

/** The largest body by default, in bytes (contract: answers, 413). */
const defaultBodyLimit = 16_384;

/**
 * The route for a Koa application of yours: `app.use(setMirrorRouter({ useCase }).routes())`. Mount it before anything
 * that reads bodies: an address is stored as its bytes were sent. The answers are the contract's. What only `HttpServer`
 * gives: deadlines, a bounded load, draining, pipelined requests in their order, and Node's own answers in JSON.
 */
export function setMirrorRouter(settings: MountSettings): Router {
  const { exchangeOf, ...all } = mounted(settings);
  const answer = setMirrorHandler(all);
  return new Router({ sensitive: true, strict: true }).all(setMirrorPath, async (context) => {
    // The answer is written here, not by Koa.
    context.respond = false;
    const exchange = exchangeOf(context.req, context.res);
    await answering(exchange, all, () => answer(context, exchange));
  });
}

/**
 * The same as a listener of `node:http`, and as middleware of Express and Connect: with `next`, requests for other
 * paths are passed on; without, they get the contract's 404.
 */
export function setMirrorListener(
  settings: MountSettings,
): (request: IncomingMessage, response: ServerResponse, next?: () => void) => void {
  const { exchangeOf, ...all } = mounted(settings);
  const handle = koaHandler(all);
  return (request, response, next) => {
    if (next && !ours.test(pathOf(request.url ?? ''))) return next();
    handle(exchangeOf(request, response));
  };
}

const ours = new RegExp(`^${setMirrorPath.replace(':campaign', '[^/]+')}$`);

function mounted(settings: MountSettings) {
  const {
    replies = new Replies(),
    bodyLimit = defaultBodyLimit,
    log = silentLog,
    observer = silentHttpObserver,
    proxies = noProxies,
    answerHeaders = new AnswerHeaders(),
  } = settings;
  const rest = { bytes: bodyLimit, milliseconds: 1_000, clock: platformClock };
  const turnAway = (exchange: Exchange) => exchange.answer(replies.fault('unavailable'));
  const shared = { log, observer, answerHeaders, clock: platformClock, rest, turnAway, isLast: () => false };
  const exchangeOf = (request: IncomingMessage, response: ServerResponse) => {
    // Node's server has answered it with 100 Continue.
    delete request.headers.expect;
    // Koa sets the text of a status as soon as anything sets the status, and Node would keep it.
    if (request.httpVersionMajor < 2) response.statusMessage = '';
    return new Exchange(request, response, new ConnectionClient(request.socket, proxies), shared);
  };
  return { ...settings, replies, bodyLimit, log, exchangeOf };
}
