import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { type Deadlines, defaultDeadlines } from './deadlines.ts';
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
  readonly deadlines?: Deadlines;
}

/** Node's HTTP server, with every answer that it would give by itself taken over (decisions: answers). */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #rest: Rest;
  readonly #server: Server;
  readonly #carryOut: (exchange: Exchange) => void;
  readonly #connections = new Map<Socket, Connection>();
  readonly #isLast = (exchange: Exchange) =>
    this.#draining && this.#connections.get(exchange.request.socket)?.isLast(exchange) !== false;
  #draining = false;

  constructor(settings: HttpServerSettings, carryOut: (exchange: Exchange) => void) {
    this.#settings = settings;
    this.#rest = { bytes: settings.bodyLimit, milliseconds: 1_000 };
    this.#carryOut = carryOut;
    this.#server = createServer({
      ...(settings.deadlines ?? defaultDeadlines),
      insecureHTTPParser: false,
      requireHostHeader: false,
    });
    // The size of the header section bounds them; a count would silently hide a second Authorization.
    this.#server.maxHeadersCount = 0;
    // A caller that has nothing more to say is answered all the same.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server
      .on('connection', (socket) => this.#connected(socket))
      .on('request', (request, response) => this.#asked(request, response))
      .on('checkContinue', (request, response) => this.#asked(request, response))
      .on('checkExpectation', (request, response) => this.#asked(request, response))
      .on('connect', (request) => this.#askedToConnect(request))
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
    // Only the listener: Node's own close of what seems to idle takes in an answer that is not all written yet,
    // and a request that has arrived and was not read yet. One turn of the event loop reads it.
    NetServer.prototype.close.call(this.#server);
    await nextTurn();
    await nextTurn();
    for (const connection of this.#connections.values()) connection.closeIfIdle();

    let unfinished = 0;
    const timer = setTimeout(() => {
      unfinished = this.#giveUpTheRest();
    }, timeout);
    await closed;
    clearTimeout(timer);
    return unfinished;
  }

  /** Gives back how many there were. */
  #giveUpTheRest(): number {
    // Not counted as they come and go: a set that changes with each request keeps their memory from being freed soon.
    const left = [...this.#connections.values()].flatMap((connection) => connection.exchanges);
    for (const exchange of left) exchange.answer(this.#settings.replies.fault('unavailable'));
    for (const connection of this.#connections.values()) connection.closeUnlessAsked();
    // Time to write the last answers to those who read; the others are cut off.
    const cutOff = () => {
      for (const socket of this.#connections.keys()) socket.destroy();
    };
    setTimeout(cutOff, this.#rest.milliseconds).unref();
    return left.length;
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
    const exchange = new Exchange(request, response, log, this.#rest, this.#isLast);
    this.#connections.get(request.socket)?.begin(exchange);
  }

  #over(exchange: Exchange): void {
    // An answer that was on its way when the drain began had no `Connection: close` yet.
    if (this.#draining) setImmediate(() => this.#connections.get(exchange.request.socket)?.closeIfIdle());
  }

  #inTurn(exchange: Exchange): void {
    if (exchange.answered) return;
    const fault = messageFault(exchange.request);
    if (fault) exchange.answer(this.#settings.replies.fault(fault));
    else this.#carryOut(exchange);
  }

  #askedToConnect(request: IncomingMessage): void {
    // Node has taken its own listeners off; without one, a caller that resets the connection would end the process.
    request.socket.on('error', () => request.socket.destroy());
    const fault = messageFault(request);
    const reply = fault ? this.#settings.replies.fault(fault) : methodNotSupported('CONNECT', 'POST');
    this.#refuse(request.socket, reply, 'CONNECT', requestIdOf(request.headers['x-request-id']));
  }

  #misunderstood(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET') socket.destroy();
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
