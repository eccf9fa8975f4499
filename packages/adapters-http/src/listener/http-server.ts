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
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnsweredRequest, type Calls, requestIdOf } from '../chain/calls.ts';
import type { Capacity } from '../chain/capacity.ts';
import { networkOfPeer } from '../chain/client-address.ts';
import { headersOfRefusal, wireFormat } from '../chain/headers.ts';
import { type Fault, faults, methodNotSupported, type Reply } from '../chain/replies.ts';

/** Node's HTTP server: what it answers by itself is JSON, a connection has one request at a time, a drain loses no answer. */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #server: Server;
  /** What listens beside it, and hands its connections over. */
  readonly #beside: NetServer[] = [];
  readonly #connections = new Map<Socket, Connection>();
  readonly #openByNetwork = new Map<string | undefined, number>();

  constructor(application: RequestListener, settings: HttpServerSettings) {
    this.#settings = settings;
    this.#server = createServer({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      ...settings.limits,
      connectionsCheckingInterval: 1_000,
      // A message without a Host is refused in JSON by the application.
      requireHostHeader: false,
    });
    // The size of the header section bounds the headers; a maximum count would silently hide a second Authorization.
    this.#server.maxHeadersCount = 0;
    // A caller that has closed its side of the connection still gets its answer.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server
      .on('connection', (socket) => {
        if (!this.#admits(socket)) return;
        this.#connections.set(socket, new Connection(socket, application, settings));
      })
      .on('request', (request, response) => this.#connections.get(request.socket)?.ask(request, response))
      .on('checkExpectation', (request, response) => this.#server.emit('request', request, response))
      .on('checkContinue', (request, response) => this.#onExpectContinue(request, response))
      .on('connect', (request) => this.#refuseTunnel(request))
      .on('clientError', (error, socket) => this.#onParserError(error, socket as Socket));
  }

  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Resolves with the address in use. `reusePort`: other processes may listen there, too (SO_REUSEPORT). `listeners`: how
   * often to listen there, because Node accepts one connection of each in a turn of its event loop.
   * @throws the error of `listen`, such as EADDRINUSE
   */
  async listen(port: number, host: string, { reusePort = false, listeners = 1 } = {}): Promise<AddressInfo> {
    const where = { port, host, reusePort: reusePort || listeners > 1 };
    if (where.reusePort && !reusePort) {
      // Alone at first: with SO_REUSEPORT, a port that is in use would not be noticed.
      const alone = new NetServer();
      where.port = await listening(alone, { port, host });
      await new Promise((resolve) => alone.close(resolve));
    }
    const handOver = (socket: Socket) => this.#server.emit('connection', socket);
    for (let count = 1; count < listeners; count++)
      // The options are those of Node's HTTP server.
      this.#beside.push(new NetServer({ allowHalfOpen: true, noDelay: true }).on('connection', handOver));
    for (const server of [this.#server, ...this.#beside]) {
      where.port = await listening(server, where);
      // From now on an error means that a connection could not be accepted, as when too many files are open.
      server.on('error', () => this.#settings.capacity.refused('connections'));
    }
    return this.#server.address() as AddressInfo;
  }

  /** Counts the connection, or ends it: all are open, or half of them by its network, which is no trusted proxy's. */
  #admits(socket: Socket): boolean {
    const { calls, capacity } = this.#settings;
    const { connections: all = Number.POSITIVE_INFINITY } = capacity.limits;
    const network = networkOfPeer(socket, calls.settings.proxies);
    const own = this.#openByNetwork.get(network) ?? 0;
    if (this.connections >= all || (network !== undefined && own >= all / 2)) {
      capacity.refused('connections');
      socket.destroy();
      return false;
    }
    this.#openByNetwork.set(network, own + 1);
    socket.once('close', () => {
      this.#connections.delete(socket);
      const left = this.#openByNetwork.get(network) ?? 0;
      if (left > 1) this.#openByNetwork.set(network, left - 1);
      else this.#openByNetwork.delete(network);
    });
    return true;
  }

  /**
   * Stops listening, answers the requests received so far and closes each connection after its answer. What is left after
   * `timeout` milliseconds gets 503. Resolves with that when no connection is open.
   */
  async drain(timeout: number): Promise<readonly AnsweredRequest[]> {
    const { calls, capacity } = this.#settings;
    calls.draining = true;
    capacity.drain();
    if (!this.#server.listening) return [];
    const all = [this.#server, ...this.#beside];
    const closed = Promise.all(all.map((server) => once(server, 'close')));
    // This only stops listening: Node's own close cuts off answers that are being sent.
    for (const server of all) NetServer.prototype.close.call(server);
    const responses = () => [...this.#connections.values()].flatMap(({ response }) => response ?? []);
    let left: AnsweredRequest[] = [];
    const timer = setTimeout(() => {
      left = calls.giveUp(responses());
      setTimeout(() => this.#server.closeAllConnections(), left.length > 0 ? lastAnswerTime : 0);
    }, timeout);
    // Requests that have arrived are read, and answers are sent, before idle connections are closed.
    await nextTurn();
    await nextTurn();
    const sending = responses().filter(({ writableEnded, closed }) => writableEnded && !closed);
    await Promise.all(sending.map((response) => once(response, 'close')));
    this.#server.close();
    await closed;
    clearTimeout(timer);
    return left;
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
    const refusal = methodNotSupported('CONNECT', 'POST');
    this.#connections.get(socket)?.refuse(refusal, '', 'CONNECT', requestIdOf(headers['x-request-id']));
  }

  #onParserError({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
    const heard = rawPacket?.toString('latin1');
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.#connections.get(socket)?.refuse(faults[parserFault(code, heard)], heard);
  }
}

async function listening(server: NetServer, where: ListenOptions): Promise<number> {
  await once(server.listen(where), 'listening');
  return (server.address() as AddressInfo).port;
}

/** The answer to an error of Node's parser, or to a missed time limit. */
function parserFault(code: string | undefined, heard = ''): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'header-fields-too-large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  // Its first or second version (haproxy.org, proxy-protocol.txt, section 2).
  return /^(?:PROXY |\r\n\r\n\0\r\nQUIT\n)/.test(heard) ? 'proxy-protocol' : 'bad-request';
}

/** How many requests behind another one are ignored until that one is answered; after one more the connection is cut. */
const maxIgnored = 32;
/** How long a connection stays open for its caller to read a last answer, in milliseconds. */
const lastAnswerTime = 1_000;

/** What a listener needs besides the application; `calls`, `capacity` and `origins` are those of the application. */
export interface HttpServerSettings {
  readonly calls: Calls;
  readonly capacity: Capacity;
  /** How long a caller may take, in milliseconds, as Node has them: by default 10 s, 30 s, and 75 s between requests. */
  readonly limits?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;
  readonly origins?: readonly string[] | undefined;
}

/**
 * One connection. If a request arrives before the answer to another, it and what follows are not carried out, and the
 * connection closes with that answer (RFC 9112, section 9.3.2).
 */
class Connection {
  /** The response to the request that is carried out, or was carried out last. */
  response: ServerResponse | undefined;
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
    // Node's parser reports a body that breaks off, but not after an `Upgrade`.
    socket.once('end', () => {
      if (this.response?.req.complete === false) this.refuse(faults['bad-request']);
    });
  }

  /** Carries a request out, unless an answer before it is due or ends the connection (RFC 9112, section 9.6). */
  ask(request: IncomingMessage, response: ServerResponse): void {
    const before = this.response;
    if (this.#isClosing || !this.#socket.writable) this.#ignore();
    else if (before && !(before.writableEnded && staysOpen(before))) this.#closeAfter(before);
    else {
      this.response = response;
      this.#application(request, response);
    }
  }

  /** Answers input that cannot become a request, unless an answer is due, and closes. `heard`: what was read last. */
  refuse(reply: Reply, heard = '', method = '-', requestId: string = randomUUID()): void {
    // The parser reports an error for every further chunk.
    if (this.#isClosing) return;
    this.#isClosing = true;
    const before = this.response;
    const end = () => this.#end(reply, heard, method, requestId);
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

  /** Stops reading: only the input that has arrived is parsed, and Node keeps an object for each request in it. */
  #ignore(): void {
    this.#ignored += 1;
    if (this.#ignored > maxIgnored) this.#socket.destroy();
    // Not at once: after a message Node's parser resumes the socket.
    else if (this.#ignored === 1) setImmediate(() => this.#socket.pause());
  }

  #end(reply: Reply, heard: string, method: string, requestId: string): void {
    if (!this.#socket.writable) return;
    const { calls, origins = [] } = this.#settings;
    this.#socket.end(wireFormat(reply, requestId, headersOfRefusal(origins, heard)));
    // So that the answer is not lost to a caller that still writes.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), lastAnswerTime).unref();
    const { status, because } = reply;
    const client = this.#socket.remoteAddress ?? '-';
    calls.settings.log?.answered({ requestId, client, method, route: '-', status, milliseconds: 0, because });
  }
}

/** Whether the connection can be used after this answer. */
function staysOpen(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.getHeader('connection') !== 'close';
}
