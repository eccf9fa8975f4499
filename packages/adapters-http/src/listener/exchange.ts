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

/** What all exchanges of a listener have. */
export interface SharedByExchanges {
  readonly log: HttpLog;
  readonly observer: HttpObserver;
  readonly answerHeaders: AnswerHeaders;
  readonly clock: Clock;
  /** How much of a body that nobody wants is read. */
  readonly rest: Rest;
  /** Refuses one that is too many. */
  turnAway(exchange: Exchange): void;
  /** Whether the connection ends with this answer for reasons of its own. */
  isLast(exchange: Exchange): boolean;
}

/** One request and its one answer. */
export class Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body was read, or there is none: the connection can be used again. */
  bodyRead: boolean;
  /** The connection ends with the answer, whichever it is. */
  closes = false;
  route = '-';
  campaign: number | undefined;
  /** By the listener's clock. */
  readonly began: number;
  /** It waits behind another request of its connection. */
  inLine = false;
  /** What a limit tells the caller by headers, names and values in turn: once it was counted, with any answer. */
  limitHeaders: readonly string[] | undefined;
  /** It is one too many, and not carried out. */
  turnedAway = false;
  /** Where requests are traced. */
  trace: RequestTrace | undefined;
  readonly #client: ConnectionClient;
  readonly #shared: SharedByExchanges;
  #answeredAt: number | undefined;

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

  get answered(): boolean {
    return this.#answeredAt !== undefined;
  }

  /** By the listener's clock; undefined while it is not answered. */
  get answeredAt(): number | undefined {
    return this.#answeredAt;
  }

  /** Who asks: an IP address as far as trusted proxies tell, or `-`. */
  get client(): string {
    return this.#client.address(this.request.rawHeaders);
  }

  /** How long ago it began. */
  get milliseconds(): number {
    return this.#now - this.began;
  }

  /** Sends the answer; of several the first one counts. */
  answer(reply: Reply): void {
    if (this.answered) return;
    this.#answeredAt = this.#now;
    const callerGone = this.response.destroyed || this.request.socket.destroyed;
    const closes = reply.closes || this.closes || !this.bodyRead || this.#shared.isLast(this);
    if (!callerGone) this.#send(reply, closes);
    this.#report(reply.status, reply.because, callerGone);
  }

  /** It is one too many: counted, and without a line in the log, which would only add to the load. */
  turnAway(): void {
    this.turnedAway = true;
    this.#shared.turnAway(this);
  }

  /** The answer goes another way, since the request broke off in its middle. */
  giveUp(reply: Reply): void {
    this.#answeredAt = this.#now;
    this.#report(reply.status, reply.because, false);
  }

  #send(reply: Reply, close: boolean): void {
    const { response } = this;
    // Names and values in turn: Node takes them as they are, where an object is put together and taken apart again.
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
    // The whole answer goes out now; the connection is closed only after a bounded rest of the body was read,
    // or the caller, still writing, would see a reset instead of the answer.
    if (reply.body !== undefined && this.request.method !== 'HEAD') response.write(reply.body);
    else response.flushHeaders();
    discardRest(this.request, this.#shared.rest, () => response.end());
  }

  #report(status: number, because: string | undefined, callerGone: boolean): void {
    const { route, milliseconds } = this;
    const method = this.request.method ?? '-';
    this.#shared.observer.answered(method, route, status, milliseconds, because, callerGone);
    if (this.turnedAway) return;
    // All its keys each time: an object that is put together of others costs more, and at times much more.
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
