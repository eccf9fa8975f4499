import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';
import { isRequestId, Unavailable } from '@campaign-mirror/domain';
import type Koa from 'koa';
import { clientOf, type TrustedProxies } from './client-address.ts';
import { faultReplies, type Reply, routeNotFound, standingHeaders } from './replies.ts';

/** An answered request, for the log and the metrics: never the key, the body, or the target URL. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The caller's IP address, as far as trusted proxies report it; `-` if the connection was lost at once. */
  readonly client: string;
  /** The method as sent; `-` if it could not be parsed. */
  readonly method: string;
  /** The route's pattern, or `-` if none matches: never the path, which the caller chooses. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Why the status is not 200: the rule that refused the request, or the fault. */
  readonly because?: string | undefined;
  readonly campaign?: number | undefined;
  /** Who called, as the history names it; for a refused key, too, if it was issued once. */
  readonly subject?: string | undefined;
  /** The caller did not wait for the answer. */
  readonly callerGone?: true | undefined;
  /** It was refused because of the load: a line for it would add to the load. */
  readonly overload?: true | undefined;
}

/** What the HTTP adapter reports. It must not throw. */
export interface HttpLog {
  /** Once for each answer, those to input that never became a request included. */
  answered(request: AnsweredRequest): void;
  /** The error behind a 503 (`unavailable`) or a 500. */
  failed(requestId: string, error: unknown, because: 'unavailable' | 'unexpected'): void;
}

/** What one part of the chain leaves for the parts after it. */
export interface ServiceState {
  /** What is known of the request so far. */
  call: { -readonly [Name in keyof AnsweredRequest]: AnsweredRequest[Name] };
  /** When the headers of the request had been read, by `performance.now()`. */
  began: number;
}

export type Context = Koa.ParameterizedContext<ServiceState>;
/** A part of the chain. */
export type Middleware = Koa.Middleware<ServiceState>;

/** Headers that belong to one answer, and must not be sent with another. */
const headersOfOneAnswer = ['Allow', 'WWW-Authenticate', 'ETag', 'Content-Encoding'];

function removeOthers(response: ServerResponse): void {
  for (const name of headersOfOneAnswer) response.removeHeader(name);
}

function setHeaders(response: ServerResponse, reply: Reply): void {
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] as string);
  if (reply.closes) response.setHeader('Connection', 'close');
  if (reply.body !== undefined)
    response.setHeader('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
}

/** Sets a reply on Koa's response, in the place of one that was not sent. */
export function answer(context: Context, reply: Reply): void {
  const { call } = context.state;
  if (context.res.headersSent) return;
  if (call.because !== undefined) removeOthers(context.res);
  context.status = reply.status;
  call.because = reply.because;
  setHeaders(context.res, reply);
  context.body = reply.body ?? null;
}

/**
 * The caller's own identifier for its request if it can be one; otherwise a new one, as a flat string: `randomUUID`
 * returns a rope, which JSON serialises slowly (half of the time of a log line).
 */
function requestIdOf({ 'x-request-id': sent }: IncomingHttpHeaders): string {
  return typeof sent === 'string' && isRequestId(sent) ? sent : randomUUID().toLowerCase();
}

/** Where calls are recorded. */
export interface CallSettings {
  /** Without it, the errors behind a 503 or a 500 are `error` events of the Koa application, which prints them. */
  readonly log?: HttpLog | undefined;
  readonly proxies?: TrustedProxies | undefined;
}

/** The context of a call in progress, at its response: the old tables of a map would keep alive what they held. */
const inProgress = Symbol('call in progress');
type CallResponse = ServerResponse & { [inProgress]?: Context | undefined };

/** The last response of a connection, at its socket: one before it must not close the connection. */
const lastResponse = Symbol('last response');
type CallSocket = Socket & { [lastResponse]?: ServerResponse };

/** Calls in progress: each from the headers of its request until its answer, which is reported once. */
export class Calls {
  readonly settings: CallSettings;
  /** Whether connections close after their answers, so that the next ones reach a process that stays. */
  draining = false;

  constructor(settings: CallSettings = {}) {
    this.settings = settings;
  }

  /** The first part of the chain: everything after it answers the call. */
  readonly middleware: Middleware = (context, next) => {
    const response: CallResponse = context.res;
    const call = this.#callOf(context.req);
    context.state.began = performance.now();
    context.state.call = call;
    for (const name in standingHeaders) response.setHeader(name, standingHeaders[name] as string);
    response.setHeader('X-Request-Id', call.requestId);
    response[inProgress] = context;
    (context.req.socket as CallSocket)[lastResponse] = response;
    return next().then(() => this.#answered(context));
  };

  /** Sends an answer in the place of the application, which may be about to send another. `error`: why, for the log. */
  answerInstead(response: CallResponse, reply: Reply, error?: Unavailable): void {
    const context = response[inProgress];
    const call = context?.state.call ?? this.#callOf(response.req);
    removeOthers(response);
    if (context) {
      answer(context, reply);
      this.#answered(context);
    } else {
      response.statusCode = reply.status;
      setHeaders(response, { ...reply, headers: { ...standingHeaders, ...reply.headers } });
      response.setHeader('X-Request-Id', call.requestId);
      response.setHeader('Content-Length', Buffer.byteLength(reply.body ?? ''));
      this.settings.log?.answered({ ...call, status: reply.status, because: reply.because });
    }
    if (error) this.settings.log?.failed(call.requestId, error, 'unavailable');
    response.end(reply.body);
  }

  #callOf(request: IncomingMessage): ServiceState['call'] {
    const { headers, method } = request;
    const client = clientOf(request, this.settings.proxies);
    // What the parser could not read has none.
    const known = { requestId: requestIdOf(headers), client, method: method || '-' };
    return { ...known, route: '-', status: 0, milliseconds: 0 };
  }

  #answered(context: Context): void {
    const response: CallResponse = context.res;
    if (response[inProgress] === undefined) return;
    response[inProgress] = undefined;
    const { req } = context;
    const isLast = (req.socket as CallSocket)[lastResponse] === response;
    // A caller that still waits for its 100 may send the body or not.
    const isUnread = req.headers.expect !== undefined && req.readableFlowing === null;
    if (isUnread || (this.draining && isLast)) response.setHeader('Connection', 'close');
    const { call, began } = context.state;
    call.status = context.status;
    call.milliseconds = performance.now() - began;
    if (!context.writable || context.req.socket.destroyed) call.callerGone = true;
    this.settings.log?.answered(call);
  }
}

/**
 * Answers what nobody behind it has answered, with 404, and what is thrown: 503 if the store is unavailable, 500 for anything
 * else. Without a log, an error becomes an `error` event of the Koa application. `refused` follows each 4xx.
 */
export function errorsAsAnswers(
  log: HttpLog | undefined,
  refused?: (context: Context) => Promise<void>,
): Middleware {
  return async (context, next) => {
    try {
      await next();
      if (context.status === 404 && context.body === undefined) answer(context, routeNotFound(context.path));
      if (refused && Math.floor(context.status / 100) === 4) await refused(context);
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      answer(context, faultReplies[because]);
      if (log) log.failed(context.state.call.requestId, error, because);
      // A Koa application accepts nothing but errors.
      else context.app.emit('error', isNativeError(error) ? error : new Error(String(error)), context);
    }
  };
}
