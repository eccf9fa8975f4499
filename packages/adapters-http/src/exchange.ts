import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './body-headers.ts';
import type { ConnectionClient } from './client-address.ts';
import type { HttpLog } from './http-log.ts';
import type { HttpObserver } from './http-observer.ts';
import type { Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';
import type { RequestTrace } from './request-traces.ts';
import { discardRest, type Rest } from './unread-body.ts';

/** One request and its one answer. */
export class Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body was read, or there is none: the connection can be used again. */
  bodyRead: boolean;
  route = '-';
  campaign: number | undefined;
  /** By `performance.now()`. */
  readonly began = performance.now();
  /** It waits behind another request of its connection. */
  inLine = false;
  /** It is one too many, and not carried out. */
  turnedAway = false;
  /** Where requests are traced. */
  trace: RequestTrace | undefined;
  readonly #log: HttpLog;
  readonly #rest: Rest;
  readonly #client: ConnectionClient;
  readonly #isLast: (exchange: Exchange) => boolean;
  readonly #observer: HttpObserver;
  #answeredAt: number | undefined;

  /** `isLast`: whether the connection ends with this answer for reasons of its own. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    log: HttpLog,
    rest: Rest,
    client: ConnectionClient,
    isLast: (exchange: Exchange) => boolean,
    observer: HttpObserver,
  ) {
    this.request = request;
    this.response = response;
    this.requestId = requestIdOf(request.headers['x-request-id']);
    this.bodyRead = !announcesBody(request);
    this.#log = log;
    this.#rest = rest;
    this.#client = client;
    this.#isLast = isLast;
    this.#observer = observer;
  }

  get answered(): boolean {
    return this.#answeredAt !== undefined;
  }

  /** By `performance.now()`; undefined while it is not answered. */
  get answeredAt(): number | undefined {
    return this.#answeredAt;
  }

  /** How long ago it began. */
  get milliseconds(): number {
    return performance.now() - this.began;
  }

  /** Sends the answer; of several the first one counts. */
  answer(reply: Reply): void {
    if (this.answered) return;
    this.#answeredAt = performance.now();
    const callerGone = this.response.destroyed || this.request.socket.destroyed;
    if (!callerGone) this.#send(reply, reply.closes || !this.bodyRead || this.#isLast(this));
    this.#report(reply.status, reply.because, callerGone);
  }

  /** Answers one that is too many. It is counted, and has no line in the log, which would only add to the load. */
  turnAway(reply: Reply): void {
    this.turnedAway = true;
    this.answer(reply);
  }

  /** The answer goes another way, since the request broke off in its middle. */
  giveUp(reply: Reply): void {
    this.#answeredAt = performance.now();
    this.#report(reply.status, reply.because, false);
  }

  #send(reply: Reply, close: boolean): void {
    const { response } = this;
    // Names and values in turn: Node takes them as they are, where an object is put together and taken apart again.
    const headers = reply.headers ? Object.entries(reply.headers).flat() : [];
    if (reply.body !== undefined) {
      headers.push('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
      headers.push('Content-Length', String(Buffer.byteLength(reply.body)));
    }
    headers.push('X-Request-Id', this.requestId);
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
    discardRest(this.request, this.#rest, () => response.end());
  }

  #report(status: number, because: string | undefined, callerGone: boolean): void {
    const { route, milliseconds } = this;
    const method = this.request.method ?? '-';
    this.#observer.answered(method, route, status, milliseconds, because, callerGone);
    if (this.turnedAway) return;
    const answered = {
      requestId: this.requestId,
      client: this.#client.address(this.request.rawHeaders),
      method,
      route,
      status,
      milliseconds,
      ...(because !== undefined && { because }),
      ...(this.campaign !== undefined && { campaign: this.campaign }),
      ...(callerGone && { callerGone }),
      ...(this.trace && { trace: this.trace }),
    };
    this.#log.answered(answered);
    this.trace?.answered(answered);
  }
}
