import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fault, faults, methodNotSupported } from '../answers/replies.ts';
import type { AnsweredRequest } from '../chain/http-log.ts';
import { requestIdOf } from '../chain/request-id.ts';
import { Connection, type HttpServerSettings, lastWords } from './connection.ts';
import { timeLimits } from './time-limits.ts';

/**
 * Node's HTTP server for an application, which is its `callback()`. What Node answers by itself is JSON here, a
 * connection carries one request at a time, and a drain loses no answer.
 */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();

  constructor(application: RequestListener, settings: HttpServerSettings) {
    this.#settings = settings;
    const limits = settings.limits ?? timeLimits;
    // A message without a Host is refused in JSON by the application.
    this.#server = createServer({ ...limits, connectionsCheckingInterval: 1_000, requireHostHeader: false });
    // The size of the header section bounds them; a count would silently hide a second Authorization.
    this.#server.maxHeadersCount = 0;
    // A caller that has closed its side of the connection still gets its answer.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    const { connections } = settings.capacity.limits;
    if (connections !== undefined) this.#server.maxConnections = connections;
    this.#server
      .on('connection', (socket) => {
        this.#connections.set(socket, new Connection(socket, application, settings));
        socket.once('close', () => this.#connections.delete(socket));
      })
      .on('drop', () => settings.capacity.refused('connections'))
      .on('request', (request, response) => this.#asked(request, response))
      .on('checkExpectation', (request, response) => this.#server.emit('request', request, response))
      .on('checkContinue', (request, response) => this.#askedToContinue(request, response))
      .on('connect', (request) => this.#refuseTunnel(request))
      .on('clientError', (error, socket) => this.#misunderstood(error, socket as Socket));
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Resolves with the address in use. `reusePort`: other processes may listen there, too, and the kernel spreads
   * connections (SO_REUSEPORT). @throws the error of `listen`, such as EADDRINUSE
   */
  async listen(port: number, host: string, { reusePort = false } = {}): Promise<AddressInfo> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen({ port, host, reusePort }, resolve);
    await promise;
    // From now on an error means that a connection could not be accepted, as when too many files are open.
    this.#server.off('error', reject).on('error', () => this.#settings.capacity.refused('connections'));
    return this.#server.address() as AddressInfo;
  }

  /** From now on connections close after their answers: the next ones reach a process that stays. */
  startDraining(): void {
    this.#settings.calls.draining = true;
  }

  /**
   * Stops listening, answers the requests received so far and closes each connection after its answer. Requests left
   * after `timeout` milliseconds get 503. Resolves with these when no connection is open.
   */
  async drain(timeout: number): Promise<readonly AnsweredRequest[]> {
    if (!this.#server.listening) return [];
    const { calls, capacity } = this.#settings;
    this.startDraining();
    // Only stops listening: Node's own close cuts off answers that are being sent.
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    );
    let left: AnsweredRequest[] = [];
    const timer = setTimeout(() => {
      left = calls.giveUp(this.#carriedOut);
      setTimeout(() => this.#server.closeAllConnections(), left.length > 0 ? lastWords : 0);
    }, timeout);
    // Requests that have arrived are read, and answers are sent, before idle connections are closed.
    await nextTurn();
    await nextTurn();
    const sending = this.#carriedOut.filter(({ writableEnded, closed }) => writableEnded && !closed);
    await Promise.all(sending.map((response) => once(response, 'close')));
    this.#server.close();
    await closed;
    clearTimeout(timer);
    capacity.stop();
    return left;
  }

  get #carriedOut(): ServerResponse[] {
    return [...this.#connections.values()].flatMap(({ carriedOut }) => carriedOut ?? []);
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    this.#connections.get(request.socket)?.ask(request, response);
  }

  /** `100 Continue` is sent when the body is about to be read. If it never is, the connection closes with the answer. */
  #askedToContinue(request: IncomingMessage, response: ServerResponse): void {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    request.once('resume', () => {
      if (response.headersSent) return;
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    });
    this.#server.emit('request', request, response);
  }

  /** Node hands the connection over for CONNECT. */
  #refuseTunnel({ socket, headers }: IncomingMessage): void {
    // It has taken its own listeners off; without one, a caller that resets the connection would end the process.
    socket.on('error', () => socket.destroy());
    const requestId = requestIdOf(headers['x-request-id']);
    const method = 'CONNECT';
    this.#connections.get(socket)?.refuse(methodNotSupported(method, 'POST'), { method, requestId });
  }

  #misunderstood({ code, rawPacket }: ParserError, socket: Socket): void {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      const heard = rawPacket?.toString('latin1');
      this.#connections.get(socket)?.refuse(faults[parserFault(code)], heard === undefined ? {} : { heard });
    }
  }
}

/** `rawPacket`: what was read last. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** The answer to an error of Node's parser, or to a missed time limit. */
function parserFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header-fields-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'bad-request';
}
