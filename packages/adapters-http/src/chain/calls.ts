import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { faults, type Reply } from '../answers/replies.ts';
import { clientOf, noProxies, type TrustedProxies } from './client-address.ts';
import { answer, type Context, type Middleware } from './context.ts';
import type { AnsweredRequest, HttpLog } from './http-log.ts';
import { requestIdOf } from './request-id.ts';

/** What is recorded of calls, and for how long their callers may take to read an answer. */
export interface CallSettings {
  readonly log: HttpLog;
  /** The proxies whose `X-Forwarded-For` is trusted; none by default. */
  readonly proxies?: TrustedProxies | undefined;
  /** How long a connection may stand still while an answer is sent, in milliseconds; 30 s by default. */
  readonly answerTimeout?: number | undefined;
}

/**
 * The context of a call in progress, at its response. A map of them would do the same, but its old tables would keep
 * alive what they held until V8 collects its old space, which costs more than all else in this file.
 */
const inProgress = Symbol('call in progress');
type CallResponse = ServerResponse & { [inProgress]?: Context | undefined };

/** Headers of some answers, in which another must not be sent. */
const ofOneAnswer = ['Allow', 'WWW-Authenticate', 'ETag', 'Content-Encoding'];

/** Calls in progress: each from the headers of its request until its answer, which is reported once. */
export class Calls {
  readonly #settings: CallSettings;
  /** Whether connections close after their answers. */
  draining = false;

  constructor(settings: CallSettings) {
    this.#settings = settings;
  }

  /** The first part of the chain: everything after it answers the call. */
  readonly middleware: Middleware = (context, next) => {
    const { proxies = noProxies } = this.#settings;
    const requestId = requestIdOf(context.req.headers['x-request-id']);
    context.state.began = performance.now();
    context.state.origin = new AsyncResource('Call');
    context.state.call = {
      requestId,
      client: clientOf(context.req, proxies),
      method: context.method,
      route: '-',
      status: 0,
      milliseconds: 0,
    };
    context.res.setHeader('X-Request-Id', requestId);
    (context.res as CallResponse)[inProgress] = context;
    return next().then(() => this.#answered(context));
  };

  /** Sends an answer now, whatever the rest of the chain does. False if the call has been answered. */
  cutShort(response: ServerResponse, reply: Reply): boolean {
    const context = (response as CallResponse)[inProgress];
    if (!context) return false;
    // The chain may have begun another answer.
    for (const name of ofOneAnswer) response.removeHeader(name);
    answer(context, { ...reply, closes: true });
    // Whoever cuts it short is in a context of its own.
    context.state.origin.runInAsyncScope(() => this.#answered(context));
    response.end(reply.body);
    return true;
  }

  /** Answers those of the calls that are in progress. @returns what is known of them */
  giveUp(responses: readonly CallResponse[]): AnsweredRequest[] {
    return responses.flatMap((response) => {
      const context = response[inProgress];
      return context && this.cutShort(response, faults.unavailable) ? [context.state.call] : [];
    });
  }

  #answered(context: Context): void {
    const { req, status, writable } = context;
    const response: CallResponse = context.res;
    if (response[inProgress] === undefined) return;
    response[inProgress] = undefined;
    const { log, answerTimeout = 30_000 } = this.#settings;
    if (this.draining) context.set('Connection', 'close');
    // Node replaces it as soon as the answer is sent. Behind a gateway's event there may be another stream, without it.
    req.socket.setTimeout?.(answerTimeout);
    const { call, began } = context.state;
    call.status = status;
    call.milliseconds = performance.now() - began;
    if (!writable || req.socket.destroyed) call.callerGone = true;
    log.answered(call);
  }
}
