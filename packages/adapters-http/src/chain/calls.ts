import type { ServerResponse } from 'node:http';
import { faults, type Reply } from '../answers/replies.ts';
import { clientOf, noProxies, type TrustedProxies } from '../messages/client-address.ts';
import { requestIdOf } from '../messages/request-id.ts';
import { answer } from './answer.ts';
import type { Context, Middleware } from './context.ts';
import type { AnsweredRequest, HttpLog } from './http-log.ts';

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

/** Calls in progress: each from the headers of its request until its answer, which is reported once. */
export class Calls {
  readonly #settings: CallSettings;
  #draining = false;

  constructor(settings: CallSettings) {
    this.#settings = settings;
  }

  /** The first part of the chain: everything after it answers the call. */
  readonly middleware: Middleware = (context, next) => {
    const { proxies = noProxies } = this.#settings;
    const requestId = requestIdOf(context.req.headers['x-request-id']);
    context.state.call = {
      requestId,
      client: clientOf(context.req, proxies),
      began: performance.now(),
      route: '-',
      campaign: undefined,
      because: undefined,
      overload: false,
    };
    context.set('X-Request-Id', requestId);
    if (this.#draining) context.set('Connection', 'close');
    (context.res as CallResponse)[inProgress] = context;
    return next().then(() => this.#answered(context));
  };

  /** Sends an answer now, whatever the rest of the chain does. False if the call has been answered. */
  cutShort(response: ServerResponse, reply: Reply): boolean {
    const context = (response as CallResponse)[inProgress];
    if (!context) return false;
    answer(context, { ...reply, closes: true });
    this.#answered(context);
    response.end(reply.body);
    return true;
  }

  /** From now on connections close after their answers. Refusals because of the load are given at once. */
  drain(responses: readonly CallResponse[]): void {
    this.#draining = true;
    for (const response of responses) {
      const context = response[inProgress];
      if (context?.state.call.overload) this.cutShort(response, faults.unavailable);
      else context?.set('Connection', 'close');
    }
  }

  /** Answers those of the calls that are in progress. @returns what is known of them */
  giveUp(responses: readonly CallResponse[]): AnsweredRequest[] {
    return responses.flatMap((response) => {
      const context = response[inProgress];
      return context && this.cutShort(response, faults.unavailable) ? [described(context)] : [];
    });
  }

  #answered(context: Context): void {
    const response: CallResponse = context.res;
    if (response[inProgress] === undefined) return;
    response[inProgress] = undefined;
    const { log, answerTimeout = 30_000 } = this.#settings;
    // Node replaces it as soon as the answer is sent.
    context.req.socket.setTimeout(answerTimeout);
    log.answered(described(context));
  }
}

function described({ state: { call }, status, method, writable, req }: Context): AnsweredRequest {
  return {
    requestId: call.requestId,
    client: call.client,
    method,
    route: call.route,
    status,
    milliseconds: performance.now() - call.began,
    because: call.because,
    campaign: call.campaign,
    callerGone: !writable || req.socket.destroyed || undefined,
    overload: call.overload || undefined,
  };
}
