import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { faults, type Reply } from '../answers/replies.ts';
import { wireFormat } from '../answers/wire-format.ts';
import type { Calls } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import type { HttpLog } from '../chain/http-log.ts';
import type { TimeLimits } from './time-limits.ts';

/** How many requests behind another one are ignored until it is answered; with one more the connection is cut. */
const maxIgnored = 32;
/** How long a connection stays open for its caller to read a last answer, in milliseconds. */
export const lastWords = 1_000;

/** What a listener needs besides the application that it serves. */
export interface HttpServerSettings {
  /** The calls of the application. */
  readonly calls: Calls;
  readonly log: HttpLog;
  readonly capacity: Capacity;
  readonly limits?: TimeLimits;
  /** Of answers to input that never becomes a request, of which `heard` is what was read last. */
  readonly headers?: ((heard: string) => Readonly<Record<string, string>>) | undefined;
}

/** What is known of input that is refused. */
interface Refused {
  readonly method?: string;
  readonly requestId?: string;
  readonly heard?: string;
}

/**
 * One connection, on which one request at a time is carried out. If another arrives before the answer, it and what follows
 * are not carried out, and the connection closes with the answer (RFC 9112, section 9.3.2).
 */
export class Connection {
  /** To the request that is carried out, or was last. */
  carriedOut: ServerResponse | undefined;
  readonly #socket: Socket;
  readonly #settings: HttpServerSettings;
  readonly #application: RequestListener;
  /** Whether nothing further is read as a request. */
  #isClosing = false;
  #ignored = 0;

  constructor(socket: Socket, application: RequestListener, settings: HttpServerSettings) {
    this.#socket = socket;
    this.#application = application;
    this.#settings = settings;
    // Node's parser tells of a body that breaks off, but not of one behind an `Upgrade`.
    socket.once('end', () => {
      if (this.carriedOut?.req.complete === false) this.refuse(faults['bad-request']);
    });
  }

  /** Carries a request out, unless an answer before it is due or ends the connection (RFC 9112, section 9.6). */
  ask(request: IncomingMessage, response: ServerResponse): void {
    const before = this.carriedOut;
    if (this.#isClosing || !this.#socket.writable) this.#ignore();
    else if (before && !(before.writableEnded && staysOpen(before))) this.#closeAfter(before);
    else {
      this.carriedOut = response;
      this.#application(request, response);
    }
  }

  /** Answers input that cannot become a request, unless an answer before it is due, and closes the connection. */
  refuse(reply: Reply, { method = '-', requestId = randomUUID(), heard = '' }: Refused = {}): void {
    // The parser reports an error for every further chunk.
    if (this.#isClosing) return;
    this.#isClosing = true;
    const before = this.carriedOut;
    const end = () => this.#end(reply, { method, requestId, heard });
    if (before?.req.complete === false) {
      // The headers of a request were understood. If it has been answered, its body does not matter.
      if (!this.#settings.calls.cutShort(before, reply)) this.#socket.destroySoon();
    } else if (before === undefined || before.closed) end();
    else if (before.writableEnded && staysOpen(before)) {
      // What follows is not read before it is sent.
      this.#socket.pause();
      before.once('close', end);
    } else this.#closeAfter(before);
  }

  #closeAfter(response: ServerResponse): void {
    this.#isClosing = true;
    if (!response.headersSent) response.setHeader('Connection', 'close');
    response.once('close', () => this.#socket.destroySoon());
    this.#ignore();
  }

  /** Nothing more is read but what has arrived with this; Node keeps an object for each request in it. */
  #ignore(): void {
    this.#ignored += 1;
    if (this.#ignored > maxIgnored) this.#socket.destroy();
    // Not at once: after a message Node's parser reads on.
    else if (this.#ignored === 1) setImmediate(() => this.#socket.pause());
  }

  #end(reply: Reply, { method, requestId, heard }: Required<Refused>): void {
    if (!this.#socket.writable) return;
    const { log, headers } = this.#settings;
    this.#socket.end(wireFormat(reply, requestId, headers?.(heard) ?? {}));
    // So that the answer is not lost to a caller that still writes.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), lastWords).unref();
    const { status, because } = reply;
    const client = this.#socket.remoteAddress ?? '-';
    log.answered({ requestId, client, method, route: '-', status, milliseconds: 0, because });
  }
}

/** Whether the connection can be used after this answer. */
function staysOpen(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.getHeader('connection') !== 'close';
}
