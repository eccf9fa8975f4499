import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnsweredRequest, type Calls, requestIdOf } from '../chain/calls.ts';
import { headersOfRefusal, wireFormat } from '../chain/headers.ts';
import { type Fault, faults, methodNotSupported, type Reply } from '../chain/replies.ts';
import type { Slots } from '../chain/slots.ts';

/** What a listener needs besides the application; `calls`, `slots` and `origins` are those of the application. */
export interface HttpServerSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** How long a caller may take, in milliseconds, as Node has them: by default 10 s, 30 s, and 75 s between requests. */
  readonly limits?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;
  /** The maximum number of open connections; one beyond it is closed at once. By default, there is no maximum. */
  readonly maxConnections?: number | undefined;
  /** Is called for each connection that was closed at once, or could not be accepted. */
  readonly connectionRefused?: (() => void) | undefined;
  readonly origins?: readonly string[] | undefined;
}

interface Connection {
  /** Those to the requests read so far, in their order, from the first that was not sent when the last one was read. */
  readonly responses: ServerResponse[];
  /** Whether something was read that is no request. */
  isRefused?: true;
}

/** How long a connection stays open for its caller to read a last answer, in milliseconds. */
const lastAnswerTime = 1_000;

/** Node's HTTP server, except that its own answers are JSON, and that a drain loses no answer. */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();

  constructor(application: RequestListener, settings: HttpServerSettings) {
    this.#settings = settings;
    const { limits, maxConnections, connectionRefused = () => {} } = settings;
    this.#server = createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      ...limits,
      connectionsCheckingInterval: 1_000,
      // A message without a Host is refused in JSON by the application.
      requireHostHeader: false,
    });
    // The size of the header section bounds the headers; a maximum count would silently hide a second Authorization.
    this.#server.maxHeadersCount = 0;
    if (maxConnections !== undefined) this.#server.maxConnections = maxConnections;
    // A caller that has closed its side of the connection still gets its answer.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server
      .on('drop', connectionRefused)
      .on('connection', (socket) => {
        this.#connections.set(socket, { responses: [] });
        socket.once('close', () => this.#connections.delete(socket));
      })
      .on('request', (request, response) => {
        const { responses = [] } = this.#connections.get(request.socket) ?? {};
        while (responses[0]?.closed) responses.shift();
        responses.push(response);
        application(request, response);
      })
      .on('checkExpectation', (request, response) => this.#server.emit('request', request, response))
      .on('checkContinue', (request, response) => this.#onExpectContinue(request, response))
      .on('connect', (request) => this.#refuseTunnel(request))
      .on('clientError', (error, socket) => this.#onParserError(error, socket as Socket));
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Resolves with the address in use. `reusePort`: other processes may listen there, too (SO_REUSEPORT).
   * @throws the error of `listen`, such as EADDRINUSE
   */
  async listen(port: number, host: string, reusePort = false): Promise<AddressInfo> {
    await once(this.#server.listen({ port, host, reusePort }), 'listening');
    // From now on an error means that a connection could not be accepted, as when too many files are open.
    this.#server.on('error', () => this.#settings.connectionRefused?.());
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops listening, answers the requests received so far and closes each connection after its last answer. What is left
   * after `timeout` milliseconds gets 503. Resolves with that when no connection is open.
   */
  async drain(timeout: number): Promise<readonly AnsweredRequest[]> {
    const { calls, slots } = this.#settings;
    calls.draining = true;
    slots.drain();
    if (!this.#server.listening) return [];
    const closed = once(this.#server, 'close');
    // This only stops listening: Node's own close cuts off answers that are being sent.
    NetServer.prototype.close.call(this.#server);
    let left: AnsweredRequest[] = [];
    const timer = setTimeout(() => {
      left = calls.giveUp(this.#unsent());
      setTimeout(() => this.#server.closeAllConnections(), left.length > 0 ? lastAnswerTime : 0);
    }, timeout);
    // Requests that have arrived are read, and answers are sent, before idle connections are closed.
    await nextTurn();
    await nextTurn();
    const sending = this.#unsent().filter(({ writableEnded }) => writableEnded);
    await Promise.all(sending.map((response) => once(response, 'close')));
    this.#server.close();
    await closed;
    clearTimeout(timer);
    return left;
  }

  #unsent(): ServerResponse[] {
    const responses = [...this.#connections.values()].flatMap((connection) => connection.responses);
    return responses.filter(({ closed }) => !closed);
  }

  /** `100 Continue` is sent when the body is about to be read. If it never is, the connection closes with the answer. */
  #onExpectContinue(request: IncomingMessage, response: ServerResponse): void {
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
    // Node has removed its own listeners; without one, a caller that resets the connection would end the process.
    socket.on('error', () => socket.destroy());
    const requestId = requestIdOf(headers['x-request-id']);
    this.#refuse(socket, methodNotSupported('CONNECT', 'POST'), { method: 'CONNECT', requestId });
  }

  #onParserError(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
    const { code, rawPacket } = error;
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.#refuse(socket, faults[parserFault(code)], { heard: rawPacket?.toString('latin1') });
  }

  /** Answers input that is no request, after what was asked before it, and closes. `heard`: what was read last. */
  #refuse(
    socket: Socket,
    reply: Reply,
    { heard = '', method = '-', requestId = randomUUID() as string }: Partial<Record<string, string>>,
  ): void {
    const connection = this.#connections.get(socket);
    // The parser reports an error for every further chunk.
    if (!connection || connection.isRefused) return;
    connection.isRefused = true;
    const last = connection.responses.at(-1);
    // The headers of a request were understood: this is its answer.
    if (last && !last.req.complete && this.#settings.calls.cutShort(last, reply)) return;
    // If it has been answered, the rest of its body gets no answer.
    const end = () =>
      last?.req.complete === false
        ? socket.destroySoon()
        : this.#end(socket, reply, heard, method, requestId);
    if (!last || last.closed) end();
    else last.once('close', end);
  }

  #end(socket: Socket, reply: Reply, heard: string, method: string, requestId: string): void {
    if (!socket.writable) return;
    const { calls, origins = [] } = this.#settings;
    socket.end(wireFormat(reply, requestId, headersOfRefusal(origins, heard)));
    // So that the answer is not lost to a caller that still writes.
    socket.resume();
    setTimeout(() => socket.destroy(), lastAnswerTime).unref();
    const { status, because } = reply;
    const client = socket.remoteAddress ?? '-';
    calls.settings.log?.answered({ requestId, client, method, route: '-', status, milliseconds: 0, because });
  }
}

/** The answer to an error of Node's parser, or to a missed time limit. */
function parserFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header-fields-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'bad-request';
}
