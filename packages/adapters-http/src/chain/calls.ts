import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';
import { isRequestId, Unavailable } from '@campaign-mirror/domain';
import type Koa from 'koa';
import { clientOf, type TrustedProxies } from './client-address.ts';
import { faults, type Reply } from './replies.ts';

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

/** Sets a reply on Koa's response, in the place of one that was not sent, unless the call was cut short. */
export function answer(context: Context, reply: Reply): void {
  const { res } = context;
  if (res.headersSent) return;
  if (context.state.call.because !== undefined) removeOthers(res);
  context.status = reply.status;
  context.state.call.because = reply.because;
  for (const name in reply.headers) res.setHeader(name, reply.headers[name] as string);
  if (reply.closes) res.setHeader('Connection', 'close');
  if (reply.body === undefined) context.body = null;
  else {
    res.setHeader('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
    context.body = reply.body;
  }
}

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

/**
 * The caller's own identifier for its request if it can be one; otherwise a new one, as a flat string: `randomUUID`
 * returns a rope, which JSON serialises slowly (half of the time of a log line).
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && isRequestId(header) ? header : randomUUID().toLowerCase();
}

/** Where calls are recorded, and how long their callers may take to read an answer. */
export interface CallSettings {
  /** Without it, the errors behind a 503 or a 500 are `error` events of the Koa application, which prints them. */
  readonly log?: HttpLog | undefined;
  readonly proxies?: TrustedProxies | undefined;
  /** How long a connection may stand still while an answer is sent, in milliseconds; 30 s by default. */
  readonly answerTimeout?: number | undefined;
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
    const requestId = requestIdOf(context.req.headers['x-request-id']);
    context.state.began = performance.now();
    context.state.call = {
      requestId,
      client: clientOf(context.req, this.settings.proxies),
      method: context.method,
      route: '-',
      status: 0,
      milliseconds: 0,
    };
    context.res.setHeader('X-Request-Id', requestId);
    (context.res as CallResponse)[inProgress] = context;
    (context.req.socket as CallSocket)[lastResponse] = context.res;
    return next().then(() => this.#answered(context));
  };

  /** Sends an answer now, whatever the rest of the chain does. False if the call has been answered. */
  cutShort(response: ServerResponse, reply: Reply): boolean {
    const context = (response as CallResponse)[inProgress];
    if (!context) return false;
    // The chain may have begun another answer, as if the parser finds a fault behind the headers that it has read.
    removeOthers(response);
    answer(context, { ...reply, closes: true });
    this.#answered(context);
    response.end(reply.body);
    return true;
  }

  /** Answers the calls that are in progress with 503. @returns these calls */
  giveUp(responses: readonly CallResponse[]): AnsweredRequest[] {
    const unanswered = responses.flatMap((response) => response[inProgress]?.state.call ?? []);
    for (const response of responses) this.cutShort(response, faults.unavailable);
    return unanswered;
  }

  #answered(context: Context): void {
    const { req, status, writable } = context;
    const response: CallResponse = context.res;
    if (response[inProgress] === undefined) return;
    response[inProgress] = undefined;
    const { log, answerTimeout = 30_000 } = this.settings;
    const isLast = (req.socket as CallSocket)[lastResponse] === response;
    if (this.draining && isLast) context.set('Connection', 'close');
    // Node replaces it as soon as the answer is sent.
    req.socket.setTimeout(answerTimeout);
    if (Buffer.isBuffer(context.body)) {
      // A page is long: a caller that reads a little of it at a time ends, too.
      const end = setTimeout(() => req.socket.destroy(), 2 * answerTimeout).unref();
      response.once('close', () => clearTimeout(end));
    }
    const { call, began } = context.state;
    call.status = status;
    call.milliseconds = performance.now() - began;
    if (!writable || req.socket.destroyed) call.callerGone = true;
    log?.answered(call);
  }
}

/**
 * Answers what is thrown behind it: 503 if the store is unavailable, 500 for anything else. Without a log, it becomes an
 * `error` event of the Koa application. `refused` follows each 4xx.
 */
export function errorsAsAnswers(
  log: HttpLog | undefined,
  refused?: (context: Context) => Promise<void>,
): Middleware {
  return async (context, next) => {
    try {
      await next();
      if (refused && Math.floor(context.status / 100) === 4) await refused(context);
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      answer(context, faults[because]);
      if (log) log.failed(context.state.call.requestId, error, because);
      // A Koa application accepts nothing but errors.
      else context.app.emit('error', isNativeError(error) ? error : new Error(String(error)), context);
    }
  };
}
