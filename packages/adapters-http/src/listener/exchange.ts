import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerHeaders } from '../answers/answer-headers.ts';
import type { Reply } from '../answers/replies.ts';
import { announcesBody } from '../messages/body-headers.ts';
import type { ConnectionClient } from '../messages/client-address.ts';
import { requestIdOf } from '../messages/request-id.ts';
import type { Clock } from './clock.ts';
import type { HttpLog } from './http-log.ts';
import type { HttpObserver } from './http-observer.ts';
import type { RequestTrace } from './request-traces.ts';
import { discardRest, type Rest } from './unread-body.ts';

export const jsonType = 'application/json; charset=utf-8';

/** What all exchanges of a listener share. */
export interface SharedByExchanges {
  readonly log: HttpLog;
  readonly observer: HttpObserver;
  readonly answerHeaders: AnswerHeaders;
  readonly clock: Clock;
  /** How much of an unwanted body is read. */
  readonly rest: Rest;
  /** Refuses an exchange that exceeds the capacity. */
  turnAway(exchange: Exchange): void;
  /** Whether the connection closes after this answer because the listener is draining. */
  isLast(exchange: Exchange): boolean;
}

/** One request and its one answer. */
export class Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body was read, or there is none: the connection can be used again. */
  bodyRead: boolean;
  /** The connection closes after the answer, whatever the answer is. */
  closes = false;
  route = '-';
  campaign: number | undefined;
  /** The start time, by the listener's clock. */
  readonly began: number;
  /** The time of the answer, by the listener's clock; undefined before it. */
  answeredAt: number | undefined;
  /** The request waits behind another request of its connection. */
  inLine = false;
  /** A limit's headers, as alternating names and values: sent with any answer once the request was counted. */
  limitHeaders: readonly string[] | undefined;
  /** The request exceeds the capacity and is not carried out. */
  turnedAway = false;
  /** Set only if requests are traced. */
  trace: RequestTrace | undefined;
  readonly #client: ConnectionClient;
  readonly #shared: SharedByExchanges;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    client: ConnectionClient,
    shared: SharedByExchanges,
  ) {
    this.request = request;
    this.response = response;
    this.requestId = requestIdOf(request.headers['x-request-id']);
    this.bodyRead = !announcesBody(request);
    this.#client = client;
    this.#shared = shared;
    this.began = this.#now;
  }

  get #now(): number {
    return this.#shared.clock.performance.now();
  }

  /** Whether an answer was sent. */
  get answered(): boolean {
    return this.answeredAt !== undefined;
  }

  /** The caller's IP address, as far as trusted proxies report it, or `-`. */
  get client(): string {
    return this.#client.address(this.request.rawHeaders);
  }

  /** Milliseconds since the exchange began. */
  get milliseconds(): number {
    return this.#now - this.began;
  }

  /** Sends the answer, unless something else has, such as a time limit of the application. Only the first call counts. */
  answer(reply: Reply): void {
    if (this.answered) return;
    this.answeredAt = this.#now;
    const { headersSent, destroyed } = this.response;
    const callerGone = headersSent || destroyed || this.request.socket.destroyed;
    const closes = reply.closes || this.closes || !this.bodyRead || this.#shared.isLast(this);
    if (!callerGone) this.#send(reply, closes);
    this.#report(reply.status, reply.because, callerGone);
  }

  /** Refuses an exchange that exceeds the capacity: counted but not logged, since logging would add to the load. */
  turnAway(): void {
    this.turnedAway = true;
    this.#shared.turnAway(this);
  }

  /** Reports an answer that is sent by other means, because the request was cut short. */
  giveUp(reply: Reply): void {
    this.answeredAt = this.#now;
    this.#report(reply.status, reply.because, false);
  }

  #send(reply: Reply, close: boolean): void {
    const { response } = this;
    // Alternating names and values: Node uses the array as it is, but would have to take an object apart.
    const headers = this.#shared.answerHeaders.of(reply, this.request);
    for (const name in reply.headers) headers.push(name, reply.headers[name] ?? '');
    headers.push('Cache-Control', reply.cacheControl ?? 'no-store');
    if (reply.body !== undefined) {
      headers.push('Content-Type', reply.contentType ?? jsonType);
      headers.push('Content-Length', String(Buffer.byteLength(reply.body)));
    }
    headers.push('X-Request-Id', this.requestId);
    if (this.limitHeaders) headers.push(...this.limitHeaders);
    if (close) headers.push('Connection', 'close');
    response.writeHead(reply.status, headers);
    if (this.bodyRead) {
      response.end(reply.body);
      return;
    }
    // The whole answer is sent now. The connection closes only after a bounded rest of the body was read;
    // otherwise a caller that is still writing would see a reset instead of the answer.
    if (reply.body !== undefined && this.request.method !== 'HEAD') response.write(reply.body);
    else response.flushHeaders();
    discardRest(this.request, this.#shared.rest, () => response.end());
  }

  #report(status: number, because: string | undefined, callerGone: boolean): void {
    const { route, milliseconds } = this;
    const method = this.request.method ?? '-';
    this.#shared.observer.answered(method, route, status, milliseconds, because, callerGone);
    if (this.turnedAway) return;
    // Always all keys: spreading other objects into this one costs more, at times much more.
    const answered = {
      requestId: this.requestId,
      client: this.client,
      method,
      route,
      status,
      milliseconds,
      because,
      campaign: this.campaign,
      callerGone: callerGone || undefined,
      trace: this.trace,
    };
    this.#shared.log.answered(answered);
    this.trace?.answered(answered);
  }
}
