import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import type { Calls } from '../chain/calls.ts';
import type { Slots } from '../chain/limits.ts';
import { type Fault, faultReplies, methodNotSupported, type Reply } from '../chain/replies.ts';

/** The parts of the server. `calls` and `slots` are those of the application. */
export interface HttpServerSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** Node's time limits for callers, in milliseconds: by default 10 s, 30 s, and 75 s between requests. */
  readonly limits?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;
  /** How long a connection may stand still, in milliseconds; 75 s by default. A waiting caller then gets 503. */
  readonly timeout?: number | undefined;
  /** The maximum number of open connections; unlimited by default. A further connection is closed at once. */
  readonly maxConnections?: number | undefined;
  /** Called for each connection that was closed at once, or could not be accepted. */
  readonly connectionRefused?: (() => void) | undefined;
}

interface Connection {
  /** The responses in the order of the requests. Each request removes the sent responses at the beginning. */
  readonly responses: ServerResponse[];
  /** Whether malformed input was read. */
  isRefused?: true;
}

/** How long the caller may read its last answer, in milliseconds. */
const lastAnswerTime = 1_000;

/** Node's HTTP server, with answers in JSON to malformed input, and a drain that loses no answer. */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();

  constructor(application: RequestListener, settings: HttpServerSettings) {
    this.#settings = settings;
    const { limits, timeout = 75_000, maxConnections, connectionRefused = () => {} } = settings;
    const server = createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      ...limits,
      connectionsCheckingInterval: 1_000,
      // The application refuses a message without a Host, in JSON.
      requireHostHeader: false,
    });
    this.#server = server;
    // No limit on the number of headers: Node would drop further ones, such as a second Authorization.
    server.maxHeadersCount = 0;
    server.timeout = timeout;
    if (maxConnections !== undefined) server.maxConnections = maxConnections;
    // A caller that has closed its sending side still gets its answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    server
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
      .on('checkExpectation', (request, response) => server.emit('request', request, response))
      .on('checkContinue', (request, response) => {
        // `100 Continue` is sent when the body is read.
        request.once('resume', () => response.headersSent || response.writeContinue());
        server.emit('request', request, response);
      })
      .on('connect', (request) => {
        // Node has removed its listeners. Without this one, a reset connection would end the process.
        request.socket.on('error', () => request.socket.destroy());
        this.#refuse(request, { ...methodNotSupported('CONNECT', 'POST'), closes: true });
      })
      .on('timeout', (socket) => {
        const next = this.#connections.get(socket)?.responses.find(({ closed }) => !closed);
        if (!next || next.headersSent) socket.destroy();
        // Node's own time limit applies while the body is incomplete.
        else if (next.req.complete) {
          const error = new Unavailable(`the application did not answer within ${timeout} ms`);
          settings.calls.answerInstead(next, { ...faultReplies.unavailable, closes: true }, error);
        }
      })
      .on('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
        else this.#refuse(new IncomingMessage(socket as Socket), faultReplies[parserFault(error.code)]);
      });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Resolves with the address. `reusePort`: processes may share it (SO_REUSEPORT). @throws as Node's `listen` */
  async listen(port: number, host: string, reusePort = false): Promise<AddressInfo> {
    await once(this.#server.listen({ port, host, reusePort }), 'listening');
    // From now on an error means that a connection could not be accepted, such as for too many open files.
    this.#server.on('error', () => this.#settings.connectionRefused?.());
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops listening, answers the received requests, and closes each connection after its last answer. After `timeout`
   * milliseconds, unfinished requests get 503. Resolves with their number when no connection is open.
   */
  async drain(timeout: number): Promise<number> {
    const { calls, slots } = this.#settings;
    calls.draining = true;
    slots.drain();
    if (!this.#server.listening) return 0;
    const closed = once(this.#server, 'close');
    // This only stops listening. Node's own `close` would cut off answers.
    NetServer.prototype.close.call(this.#server);
    let left: ServerResponse[] = [];
    const timer = setTimeout(() => {
      left = this.#unsent().filter(({ headersSent }) => !headersSent);
      for (const response of left) calls.answerInstead(response, faultReplies.unavailable);
      setTimeout(() => this.#server.closeAllConnections(), left.length > 0 ? lastAnswerTime : 0);
    }, timeout);
    // Reads the requests that have arrived, and sends their answers, before idle connections are closed.
    await nextTurn();
    await nextTurn();
    const sending = this.#unsent().filter(({ writableEnded }) => writableEnded);
    await Promise.all(sending.map((response) => once(response, 'close')));
    this.#server.close();
    await closed;
    clearTimeout(timer);
    return left.length;
  }

  #unsent(): ServerResponse[] {
    const responses = [...this.#connections.values()].flatMap((connection) => connection.responses);
    return responses.filter(({ closed }) => !closed);
  }

  /** Answers malformed input, after the requests before it, and closes the connection. */
  #refuse(request: IncomingMessage, reply: Reply): void {
    const { socket } = request;
    const { calls } = this.#settings;
    const connection = this.#connections.get(socket);
    // The parser repeats its error for each further chunk.
    if (!connection || connection.isRefused) return;
    connection.isRefused = true;
    const last = connection.responses.at(-1);
    const isUnread = last?.req.complete === false;
    // If only the body is malformed, its request gets this answer, unless it already has one.
    if (isUnread && !last.headersSent) calls.answerInstead(last, reply);
    else if (!last || last.closed) end();
    else last.once('close', end);

    function end(): void {
      if (isUnread || !socket.writable) return void socket.destroySoon();
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      calls.answerInstead(response, reply);
      response.once('finish', () => socket.end());
      // Reads on: closing the socket with unread data could destroy the answer.
      socket.resume();
      setTimeout(() => socket.destroy(), lastAnswerTime).unref();
    }
  }
}

/** The fault for an error of Node's parser, or for a missed time limit. */
function parserFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header-fields-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'bad-request';
}
