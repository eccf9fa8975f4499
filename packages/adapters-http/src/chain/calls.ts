import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isRequestId, Unavailable } from '@campaign-mirror/domain';
import type Koa from 'koa';
import { clientOf, type TrustedProxies } from './client-address.ts';
import { faultReplies, type Reply, routeNotFound, standingHeaders } from './replies.ts';

/** An answered request, for the log and the metrics. It has neither the key nor the body nor the target URL. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The IP address of the caller, as trusted proxies report it; `-` if the connection was lost at once. */
  readonly client: string;
  /** The method as sent; `-` if it could not be parsed. */
  readonly method: string;
  /** The pattern of the route, `-` without a route; never the path, which the caller chooses. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Why the status is not 200: the rule or the fault. */
  readonly because?: string | undefined;
  readonly campaign?: number | undefined;
  /** The caller as the history names it, also for a refused key that was issued once. */
  readonly subject?: string | undefined;
  /** Whether the caller left before the answer. */
  readonly callerGone?: true | undefined;
  /** Whether it was refused because of the load. A line for it would add to the load. */
  readonly overload?: true | undefined;
}

/** What the HTTP adapter reports to. It must not throw. */
export interface HttpLog {
  /** Called once for each answer, also for an answer to malformed input. */
  answered(request: AnsweredRequest): void;
  /** Called with the error behind a 503 (`unavailable`) or a 500. */
  failed(requestId: string, error: unknown, because: 'unavailable' | 'unexpected'): void;
}

/** The state of a request, for the later parts of the chain. */
export interface ServiceState {
  /** What is known of the request so far. */
  call: { -readonly [Name in keyof AnsweredRequest]: AnsweredRequest[Name] };
  /** The time at which the headers had been read, by `performance.now()`. */
  began: number;
}

export type Context = Koa.ParameterizedContext<ServiceState>;
export type Middleware = Koa.Middleware<ServiceState>;

/** Removes the headers of a replaced answer, which must not be sent with the new one. */
function removeAnswerHeaders(response: ServerResponse): void {
  for (const name of ['Allow', 'WWW-Authenticate', 'ETag', 'Content-Encoding']) response.removeHeader(name);
}

function setHeaders(response: ServerResponse, reply: Reply): void {
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] as string);
  if (reply.closes) response.setHeader('Connection', 'close');
  if (reply.body !== undefined)
    response.setHeader('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
}

/** Sets a reply on Koa's response. It replaces a reply that was not sent. */
export function answer(context: Context, reply: Reply): void {
  const { call } = context.state;
  if (context.res.headersSent) return;
  if (call.because !== undefined) removeAnswerHeaders(context.res);
  context.status = reply.status;
  call.because = reply.because;
  setHeaders(context.res, reply);
  context.body = reply.body ?? null;
}

/** The parts of `Calls`. */
export interface CallSettings {
  /** Without a log, the errors behind a 503 or a 500 are `error` events of the Koa application, which prints them. */
  readonly log?: HttpLog | undefined;
  readonly proxies?: TrustedProxies | undefined;
}

/** The property of a response with the context of its call in progress. A Map would keep contexts alive for longer. */
const inProgress = Symbol('call in progress');
type CallResponse = ServerResponse & { [inProgress]?: Context | undefined };

/** The property of a socket with its last response. An earlier response must not close the connection. */
const lastResponse = Symbol('last response');
type CallSocket = Socket & { [lastResponse]?: ServerResponse };

/** Reports each call once, when it is answered. */
export class Calls {
  readonly settings: CallSettings;
  /** Whether connections close after their answers: callers then connect to another process. */
  draining = false;

  constructor(settings: CallSettings = {}) {
    this.settings = settings;
  }

  /** The first part of the chain. */
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

  /** Sends an answer instead of the application, which may still be working. `error`: the reason, for the log. */
  answerInstead(response: CallResponse, reply: Reply, error?: Unavailable): void {
    const context = response[inProgress];
    const call = context?.state.call ?? this.#callOf(response.req);
    removeAnswerHeaders(response);
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
    const { 'x-request-id': sent } = request.headers;
    // `toLowerCase` makes a flat string, which JSON serialises faster.
    const requestId = typeof sent === 'string' && isRequestId(sent) ? sent : randomUUID().toLowerCase();
    const client = clientOf(request, this.settings.proxies);
    return { requestId, client, method: request.method || '-', route: '-', status: 0, milliseconds: 0 };
  }

  #answered(context: Context): void {
    const response: CallResponse = context.res;
    if (response[inProgress] === undefined) return;
    response[inProgress] = undefined;
    const { req } = context;
    const isLast = (req.socket as CallSocket)[lastResponse] === response;
    // A caller that got no `100 Continue` may still send the body.
    const isUnread = req.headers.expect !== undefined && req.readableFlowing === null;
    if (isUnread || (this.draining && isLast)) response.setHeader('Connection', 'close');
    const { call, began } = context.state;
    call.status = context.status;
    call.milliseconds = performance.now() - began;
    if (!context.writable || context.req.socket.destroyed) call.callerGone = true;
    this.settings.log?.answered(call);
  }
}

/** Answers a request without an answer with 404, and errors with 503 or 500. `refused` runs after each 4xx. */
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
      // Koa accepts Error objects only.
      else context.app.emit('error', error instanceof Error ? error : new Error(String(error)), context);
    }
  };
}
