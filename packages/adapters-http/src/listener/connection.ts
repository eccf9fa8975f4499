import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerHeaders } from '../answers/answer-headers.ts';
import type { Reply } from '../answers/replies.ts';
import type { ConnectionClient } from '../messages/client-address.ts';
import { type Exchange, jsonType } from './exchange.ts';
import type { Rest } from './unread-body.ts';

/**
 * What is under way on one connection. Requests that were sent without waiting for the answer before are carried
 * out one after the other: they are not safe methods (RFC 9112, section 9.3.2).
 */
export class Connection {
  readonly client: ConnectionClient;
  readonly #socket: Socket;
  readonly #exchanges: Exchange[] = [];
  readonly #carryOut: (exchange: Exchange) => void;
  readonly #over: (exchange: Exchange) => void;
  readonly #answerHeaders: AnswerHeaders;
  #refusedAt: number | undefined;
  /** How many bytes had come when nothing was left to answer. */
  #idleAt = 0;

  /** `over` hears of the end of each exchange, also of one that was never carried out. */
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
    // Of a response that waits for its turn, Node does not say that its connection is gone.
    socket.once('close', () => {
      for (const exchange of this.#exchanges.splice(0)) over(exchange);
    });
  }

  /** Carries out an exchange when those before it are over. */
  begin(exchange: Exchange): void {
    this.#exchanges.push(exchange);
    exchange.response.on('close', () => this.#end(exchange));
    if (this.#exchanges.length === 1) this.#carryOut(exchange);
  }

  #end(exchange: Exchange): void {
    const at = this.#exchanges.indexOf(exchange);
    if (at === -1) return;
    this.#exchanges.splice(at, 1);
    this.#over(exchange);
    const next = this.#exchanges[0];
    if (!next) this.#idleAt = this.#socket.bytesRead;
    // What follows an answer that ended the connection is not carried out: nobody would hear of it.
    if (next && this.#socket.writable) this.#carryOut(next);
  }

  /** Closes it where nothing was asked, and nothing has come that may become a request. */
  closeIfIdle(): void {
    const { bytesRead } = this.#socket;
    if (bytesRead === this.#idleAt && this.#refusedAt === undefined) this.closeUnlessAsked();
  }

  /** Closes it where nothing was asked that has not its answer. */
  closeUnlessAsked(): void {
    if (this.#exchanges.length === 0) this.#socket.destroy();
  }

  /** What was asked and is not over, in its order. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** Nothing of what comes now is carried out. */
  get refused(): boolean {
    return this.#refusedAt !== undefined;
  }

  /** Nothing else was asked after this. */
  isLast(exchange: Exchange): boolean {
    return this.#exchanges.at(-1) === exchange;
  }

  /** Whether the message that is being received has an exchange already: its headers were read. */
  get #receiving(): Exchange | undefined {
    const last = this.#exchanges.at(-1);
    return last && !last.request.complete ? last : undefined;
  }

  /**
   * Answers what never became a request, past Node's own writer: after the answers to what was asked before,
   * then the connection closes. `onSent` hears the identifier of what is in no exchange.
   */
  refuse(
    reply: Reply,
    rest: Rest,
    onSent: (requestId: string) => void,
    requestId: string = randomUUID(),
  ): void {
    // The parser complains of each further piece that it is given.
    if (this.#refusedAt !== undefined) {
      if (this.#socket.bytesRead - this.#refusedAt <= rest.bytes) return;
      if (this.#socket.writable) this.#socket.pause();
      else this.#socket.destroy();
      return;
    }
    this.#refusedAt = this.#socket.bytesRead;
    const broken = this.#receiving;
    if (broken?.answered) {
      // It was refused on its headers; what followed them is of no interest.
      this.#socket.destroySoon();
      return;
    }
    broken?.giveUp(reply);
    const id = broken?.requestId ?? requestId;
    const send = () => {
      if (!this.#socket.writable) return void this.#socket.destroy();
      this.#refusedAt = this.#socket.bytesRead;
      this.#socket.end(wireFormat(reply, id, this.#answerHeaders.of(reply, broken?.request)));
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
   * Refuses what was asked behind too many others, and all that follows it; `onSent` hears of the one answer to all of
   * it. Who asks on and on is cut off.
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

/** An answer as bytes (RFC 9112, section 4). `always`: names and values in turn. */
function wireFormat(reply: Reply, requestId: string, always: readonly string[]): string {
  const body = reply.body ?? '';
  const headers = [
    ...always,
    ...Object.entries(reply.headers ?? {}).flat(),
    ...['Cache-Control', 'no-store', 'Content-Type', jsonType],
    ...['Content-Length', Buffer.byteLength(body), 'X-Request-Id', requestId],
    ...['Date', new Date().toUTCString(), 'Connection', 'close'],
  ];
  const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}\r\n${body}`;
}
