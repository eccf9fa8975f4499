import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { faults, type Reply } from '../answers/replies.ts';
import { wireFormat } from '../answers/wire-format.ts';
import type { Calls } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import type { HttpLog } from '../chain/http-log.ts';
import type { TimeLimits } from './time-limits.ts';

/** How many requests may wait behind another one of their connection; with one more the connection is cut. */
const maxPipelined = 32;
/** How long a connection stays open for its caller to read a last answer, in milliseconds. */
export const lastWords = 1_000;

/** What a listener needs besides the application that it serves. */
export interface HttpServerSettings {
  /** The calls of the application. */
  readonly calls: Calls;
  readonly log: HttpLog;
  readonly capacity: Capacity;
  readonly limits?: TimeLimits;
  /** Of answers to input that never becomes a request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The requests of one connection: carried out one after the other, as their method is not safe (RFC 9112, 9.3.2). */
export class Connection {
  /** To the request that is carried out, or was last. */
  carriedOut: ServerResponse | undefined;
  readonly #socket: Socket;
  readonly #settings: HttpServerSettings;
  readonly #application: RequestListener;
  #latest: ServerResponse | undefined;
  #behind = 0;
  /** Answers the input that was refused. Nothing behind it is read as a request. */
  #refusal: (() => void) | undefined;

  constructor(socket: Socket, application: RequestListener, settings: HttpServerSettings) {
    this.#socket = socket;
    this.#application = application;
    this.#settings = settings;
    // Node's parser tells of a body that breaks off, but not of one behind an `Upgrade`.
    socket.once('end', () => {
      if (this.#latest?.req.complete === false) this.refuse(faults['bad-request'], '-');
    });
  }

  /** Carries a request out after those before it, and none after an answer that ends the connection (RFC 9112, 9.6). */
  ask(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#socket.writable) return;
    const before = this.#latest;
    this.#latest = response;
    const carryOut = () => {
      this.carriedOut = response;
      this.#application(request, response);
    };
    if (before === undefined || before.closed) carryOut();
    else {
      this.#behind += 1;
      if (this.#behind > maxPipelined) this.#socket.destroy();
      // In its own asynchronous context, and so in its own trace.
      const itsTurn = AsyncResource.bind(() => {
        this.#behind -= 1;
        if (!this.#socket.writable) return;
        // Its body broke off while it waited for its turn.
        if (this.#refusal && !request.complete) this.#refusal();
        else carryOut();
      });
      before.once('close', itsTurn);
    }
  }

  /** Answers input that cannot become a request, after what was asked before it, and closes the connection. */
  refuse(reply: Reply, method: string, requestId: string = randomUUID()): void {
    // The parser reports an error for every further chunk.
    if (this.#refusal) return;
    this.#refusal = () => this.#end(reply, method, requestId);
    const latest = this.#latest;
    if (latest && latest === this.carriedOut && !latest.req.complete) {
      // The headers of a request were understood. If it has been answered, its body does not matter.
      if (!this.#settings.calls.cutShort(latest, reply)) this.#socket.destroySoon();
    } else if (latest === undefined || latest.closed) this.#refusal();
    else {
      // What follows is not read before this is answered.
      this.#socket.pause();
      if (latest.req.complete) latest.once('close', this.#refusal);
    }
  }

  #end(reply: Reply, method: string, requestId: string): void {
    if (!this.#socket.writable) return;
    const { log, headers = {} } = this.#settings;
    this.#socket.end(wireFormat(reply, requestId, headers));
    // So that the answer is not lost to a caller that still writes.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), lastWords).unref();
    const { status, because } = reply;
    const client = this.#socket.remoteAddress ?? '-';
    log.answered({ requestId, client, method, route: '-', status, milliseconds: 0, because });
  }
}
