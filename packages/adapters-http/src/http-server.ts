import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectsContinue } from './body-headers.ts';
import { Connection } from './connection.ts';
import { Exchange } from './exchange.ts';
import type { HttpLog } from './http-log.ts';
import { messageFault, parserFault } from './message-faults.ts';
import { methodNotSupported, type Replies, type Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';
import type { Rest } from './unread-body.ts';

export interface HttpServerSettings {
  readonly replies: Replies;
  readonly log: HttpLog;
  /** The largest body, in bytes: as much of an unwanted one is read and thrown away. */
  readonly bodyLimit: number;
}

/** A caller has this long for its headers, for its whole request; a connection may idle for so long. Milliseconds. */
const deadlines = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 };

/** Node's HTTP server, with every answer that it would give by itself taken over (decisions: answers). */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #rest: Rest;
  readonly #server: Server;
  readonly #carryOut: (exchange: Exchange) => void;
  readonly #connections = new Map<Socket, Connection>();
  readonly #exchanges = new Set<Exchange>();
  #draining = false;

  constructor(settings: HttpServerSettings, carryOut: (exchange: Exchange) => void) {
    this.#settings = settings;
    this.#rest = { bytes: settings.bodyLimit, milliseconds: 1_000 };
    this.#carryOut = carryOut;
    this.#server = createServer({
      ...deadlines,
      connectionsCheckingInterval: 1_000,
      insecureHTTPParser: false,
      requireHostHeader: false,
    });
    // The size of the header section bounds them; a count would silently hide a second Authorization.
    this.#server.maxHeadersCount = 0;
    this.#server
      .on('connection', (socket) => this.#connected(socket))
      .on('request', (request, response) => this.#asked(request, response))
      .on('checkContinue', (request, response) => this.#asked(request, response))
      .on('checkExpectation', (request, response) => this.#asked(request, response))
      .on('connect', (request, socket) => this.#askedToConnect(request, socket as Socket))
      .on('clientError', (error, socket) => this.#misunderstood(error, socket as Socket));
  }

  /** Resolves with the address in use. @throws what `listen` throws, such as EADDRINUSE */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops listening, lets what was asked be answered and closes each connection after it. What is left after
   * `timeout` milliseconds gets 503. Resolves, when no connection is open any more, with how many that were.
   */
  async drain(timeout: number): Promise<number> {
    if (!this.#server.listening) return 0;
    const closed = new Promise<void>((resolve) => this.#server.once('close', resolve));
    this.#draining = true;
    // Only the listener: `close` of the HTTP server would also cut off the connections that seem to idle, while
    // a request that has arrived on one may not have been read yet. One turn of the event loop reads it.
    NetServer.prototype.close.call(this.#server);
    await nextTurn();
    await nextTurn();
    this.#server.closeIdleConnections();
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy();

    let unfinished = 0;
    const timer = setTimeout(() => {
      unfinished = this.#exchanges.size;
      this.#giveUpTheRest();
    }, timeout);
    await closed;
    clearTimeout(timer);
    return unfinished;
  }

  #giveUpTheRest(): void {
    for (const exchange of this.#exchanges) {
      exchange.answer(this.#settings.replies.fault('unavailable'), { close: true });
    }
    // Time to write the last answers to those who read; the others are cut off.
    setTimeout(() => this.#server.closeAllConnections(), this.#rest.milliseconds).unref();
    this.#server.closeIdleConnections();
  }

  #connected(socket: Socket): void {
    const connection = new Connection(
      socket,
      (exchange) => this.#inTurn(exchange),
      (exchange) => this.#over(exchange),
    );
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const { log } = this.#settings;
    const exchange = new Exchange(request, response, log, this.#rest, () => this.#draining);
    this.#exchanges.add(exchange);
    this.#connections.get(request.socket)?.begin(exchange);
  }

  #over(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    // An answer that was on its way when the drain began had no `Connection: close` yet.
    if (this.#draining) setImmediate(() => this.#server.closeIdleConnections());
  }

  #inTurn(exchange: Exchange): void {
    if (exchange.answered) return;
    const { replies } = this.#settings;
    const fault = messageFault(exchange.request);
    if (fault) exchange.answer(replies.fault(fault), { close: true });
    else if (exchange.request.headers.expect !== undefined && !expectsContinue(exchange.request)) {
      exchange.answer(replies.fault('expectation-failed'), { close: true });
    } else this.#carryOut(exchange);
  }

  #askedToConnect(request: IncomingMessage, socket: Socket): void {
    const id = requestIdOf(request.headers['x-request-id']);
    this.#refuse(socket, methodNotSupported('CONNECT', 'POST'), 'CONNECT', id);
  }

  #misunderstood(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.#refuse(socket, this.#settings.replies.fault(parserFault(error.code)), '-');
  }

  #refuse(socket: Socket, reply: Reply, method: string, requestId?: string): void {
    const { status, because } = reply;
    const report = (id: string) =>
      this.#settings.log.answered({
        requestId: id,
        method,
        route: '-',
        status,
        milliseconds: 0,
        ...(because !== undefined && { because }),
      });
    this.#connections.get(socket)?.refuse(reply, this.#rest, report, requestId);
  }
}
