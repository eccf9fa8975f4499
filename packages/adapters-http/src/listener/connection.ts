import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerHeaders } from '../answers/answer-headers.ts';
import type { Reply } from '../answers/replies.ts';
import type { ConnectionClient } from '../messages/client-address.ts';
import { type Exchange, jsonType } from './exchange.ts';
import type { Rest } from './unread-body.ts';

/**
 * The exchanges of one connection. Pipelined requests are carried out one after the other, because their methods are
 * not safe (RFC 9112, section 9.3.2).
 */
export class Connection {
  readonly client: ConnectionClient;
  readonly #socket: Socket;
  readonly #exchanges: Exchange[] = [];
  readonly #carryOut: (exchange: Exchange) => void;
  readonly #over: (exchange: Exchange) => void;
  readonly #answerHeaders: AnswerHeaders;
  #refusedAt: number | undefined;
  /** How many bytes had been received when the last exchange ended. */
  #idleAt = 0;

  /** `over` is called when an exchange ends, even if it was never carried out. */
  constructor(
    socket: Socket,
    client: ConnectionClient,
    carryOut: (exchange: Exchange) => void,
    over: (exchange: Exchange) => void,
    answerHeaders: AnswerHeaders,
  ) {
    this.#socket = socket;
    this.client = client;
    this.#carryOut = carryOut;
    this.#over = over;
    this.#answerHeaders = answerHeaders;
    // Node does not report the loss of the connection to a response that waits for its turn.
    socket.once('close', () => {
      for (const exchange of this.#exchanges.splice(0)) over(exchange);
    });
  }

  /** Carries out an exchange once those before it have ended. */
  begin(exchange: Exchange): void {
    this.#exchanges.push(exchange);
    exchange.response.on('close', () => this.#end(exchange));
    if (this.#exchanges.length === 1) this.#carryOutFirst();
  }

  #end(exchange: Exchange): void {
    const at = this.#exchanges.indexOf(exchange);
    if (at === -1) return;
    this.#exchanges.splice(at, 1);
    this.#over(exchange);
    if (this.#exchanges.length === 0) this.#idleAt = this.#socket.bytesRead;
    this.#carryOutFirst();
  }

  /** A request after an answer that ended the connection is not carried out (RFC 9112, section 9.6). */
  #carryOutFirst(): void {
    const [first] = this.#exchanges;
    if (first && this.#socket.writable) this.#carryOut(first);
  }

  /** Closes the connection if no exchange is open and no part of a further request has been received. */
  closeIfIdle(): void {
    const { bytesRead } = this.#socket;
    if (bytesRead === this.#idleAt && this.#refusedAt === undefined) this.closeUnlessAsked();
  }

  /** Closes the connection if no exchange is open. */
  closeUnlessAsked(): void {
    if (this.#exchanges.length === 0) this.#socket.destroy();
  }

  /** The open exchanges, in the order of their requests. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** No further request is carried out. */
  get refused(): boolean {
    return this.#refusedAt !== undefined;
  }

  /** No other request follows this one. */
  isLast(exchange: Exchange): boolean {
    return this.#exchanges.at(-1) === exchange;
  }

  /** The exchange of the message that is being received, if its headers were read. */
  get #receiving(): Exchange | undefined {
    const last = this.#exchanges.at(-1);
    return last && !last.request.complete ? last : undefined;
  }

  /**
   * Answers a message that never became a complete request, bypassing Node's own writer. The answer follows those to
   * the requests before it; then the connection closes. `onSent` gets the identifier if the message has no exchange.
   */
  refuse(
    reply: Reply,
    rest: Rest,
    onSent: (requestId: string) => void,
    requestId: string = randomUUID(),
  ): void {
    // The parser reports an error for every further chunk.
    if (this.#refusedAt !== undefined) {
      if (this.#socket.bytesRead - this.#refusedAt <= rest.bytes) return;
      if (this.#socket.writable) this.#socket.pause();
      else this.#socket.destroy();
      return;
    }
    this.#refusedAt = this.#socket.bytesRead;
    const broken = this.#receiving;
    if (broken?.answered) {
      // The request was refused because of its headers; its body does not matter.
      this.#socket.destroySoon();
      return;
    }
    broken?.giveUp(reply);
    const id = broken?.requestId ?? requestId;
    const send = () => {
      if (!this.#socket.writable) return void this.#socket.destroy();
      this.#refusedAt = this.#socket.bytesRead;
      const always = this.#answerHeaders.of(reply, broken?.request);
      this.#socket.end(wireFormat(reply, id, always, broken?.request.method === 'HEAD'));
      const { clock } = rest;
      const timer = clock.setTimeout(() => this.#socket.destroy(), rest.milliseconds);
      this.#socket.once('close', () => clock.clearTimeout(timer)).resume();
      if (!broken) onSent(id);
    };
    const before = this.#exchanges.filter((exchange) => exchange !== broken);
    if (before.length === 0) send();
    else this.#lastWordsAfter(before, send);
  }

  /**
   * Refuses a request that waits behind too many others, and all that follow it, with one answer; then calls `onSent`.
   * A caller that keeps sending is disconnected.
   */
  refuseFurther(reply: Reply, rest: Rest, onSent: () => void): void {
    if (this.#refusedAt === undefined) this.refuse(reply, rest, onSent);
    else if (this.#socket.bytesRead - this.#refusedAt > rest.bytes) this.#socket.destroy();
  }

  #lastWordsAfter(before: Exchange[], send: () => void): void {
    let left = before.length;
    for (const exchange of before) {
      exchange.response.once('close', () => {
        left -= 1;
        if (left === 0) send();
      });
    }
  }
}

/** An answer in wire format (RFC 9112, section 4). `always`: alternating names and values. `toHead`: without the body. */
function wireFormat(reply: Reply, requestId: string, always: readonly string[], toHead: boolean): string {
  const body = reply.body ?? '';
  const headers = [
    ...always,
    ...Object.entries(reply.headers ?? {}).flat(),
    ...['Cache-Control', 'no-store', 'Content-Type', jsonType],
    ...['Content-Length', Buffer.byteLength(body), 'X-Request-Id', requestId],
    ...['Date', new Date().toUTCString(), 'Connection', 'close'],
  ];
  const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}\r\n${toHead ? '' : body}`;
}
