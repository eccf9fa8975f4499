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

/** What a listener needs besides the application; `calls` and `slots` are those of the application. */
export interface HttpServerSettings {
  readonly calls: Calls;
  readonly slots: Slots;
  /** How long a caller may take, in milliseconds, as Node has them: by default 10 s, 30 s, and 75 s between requests. */
  readonly limits?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;
  /** How long a connection may stand still, in milliseconds; 75 s by default. Who still waits for an answer gets 503. */
  readonly timeout?: number | undefined;
  /** The maximum number of open connections; one beyond it is closed at once. By default, there is no maximum. */
  readonly maxConnections?: number | undefined;
  /** Is called for each connection that was closed at once, or could not be accepted. */
  readonly connectionRefused?: (() => void) | undefined;
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
    const { limits, timeout = 75_000, maxConnections, connectionRefused = () => {} } = settings;
    const server = createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      ...limits,
      connectionsCheckingInterval: 1_000,
      // A message without a Host is refused in JSON by the application.
      requireHostHeader: false,
    });
    this.#server = server;
    // The size of the header section bounds the headers; a maximum count would silently hide a second Authorization.
    server.maxHeadersCount = 0;
    server.timeout = timeout;
    if (maxConnections !== undefined) server.maxConnections = maxConnections;
    // A caller that has closed its side of the connection still gets its answer.
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
        // `100 Continue` is sent when the body is about to be read.
        request.once('resume', () => response.headersSent || response.writeContinue());
        server.emit('request', request, response);
      })
      .on('connect', (request) => {
        // Node has removed its own listeners; without one, a caller that resets the connection would end the process.
        request.socket.on('error', () => request.socket.destroy());
        this.#refuse(request, { ...methodNotSupported('CONNECT', 'POST'), closes: true });
      })
      .on('timeout', (socket) => {
        const next = this.#connections.get(socket)?.responses.find(({ closed }) => !closed);
        if (!next || next.headersSent) socket.destroy();
        // Otherwise the body is still coming, which has a time limit of its own.
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
   * after `timeout` milliseconds gets 503. Resolves with the number of these when no connection is open.
   */
  async drain(timeout: number): Promise<number> {
    const { calls, slots } = this.#settings;
    calls.draining = true;
    slots.drain();
    if (!this.#server.listening) return 0;
    const closed = once(this.#server, 'close');
    // This only stops listening: Node's own close cuts off answers that are being sent.
    NetServer.prototype.close.call(this.#server);
    let left: ServerResponse[] = [];
    const timer = setTimeout(() => {
      left = this.#unsent().filter(({ headersSent }) => !headersSent);
      for (const response of left) calls.answerInstead(response, faultReplies.unavailable);
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
    return left.length;
  }

  #unsent(): ServerResponse[] {
    const responses = [...this.#connections.values()].flatMap((connection) => connection.responses);
    return responses.filter(({ closed }) => !closed);
  }

  /** Answers input that is no request, after what was asked before it, and closes. */
  #refuse(request: IncomingMessage, reply: Reply): void {
    const { socket } = request;
    const { calls } = this.#settings;
    const connection = this.#connections.get(socket);
    // The parser reports an error for every further chunk.
    if (!connection || connection.isRefused) return;
    connection.isRefused = true;
    const last = connection.responses.at(-1);
    const isUnread = last?.req.complete === false;
    // The headers of a request were understood: this is its answer. If it was answered, the rest of its body gets none.
    if (isUnread && !last.headersSent) calls.answerInstead(last, reply);
    else if (!last || last.closed) end();
    else last.once('close', end);

    function end(): void {
      if (isUnread || !socket.writable) return void socket.destroySoon();
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      calls.answerInstead(response, reply);
      response.once('finish', () => socket.end());
      // So that the answer is not lost to a caller that still writes.
      socket.resume();
      setTimeout(() => socket.destroy(), lastAnswerTime).unref();
    }
  }
}

/** The answer to an error of Node's parser, or to a missed time limit. */
function parserFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header-fields-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'bad-request';
}
