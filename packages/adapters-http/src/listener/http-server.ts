import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AnswerHeaders } from '../answers/answer-headers.ts';
import type { Replies } from '../answers/replies.ts';
import { ConnectionClient, noProxies, type TrustedProxies } from '../messages/client-address.ts';
import { messageFault } from '../messages/message-faults.ts';
import { type Capacity, unlimited } from './capacity.ts';
import { type Clock, platformClock } from './clock.ts';
import { Connection } from './connection.ts';
import { type Deadlines, defaultDeadlines, missedDeadline } from './deadlines.ts';
import { DelayedRefusals } from './delayed-refusals.ts';
import { type Draining, unfinished } from './draining.ts';
import { Exchange, type SharedByExchanges } from './exchange.ts';
import type { HttpLog } from './http-log.ts';
import { type HttpObserver, silentHttpObserver } from './http-observer.ts';
import { nodeServer } from './node-server.ts';
import { ProtocolErrors } from './protocol-errors.ts';
import type { RequestTraces } from './request-traces.ts';
import { cameAlong } from './unread-body.ts';

/** What a listener needs to know. */
export interface HttpServerSettings {
  readonly replies: Replies;
  readonly log: HttpLog;
  /** None by default. */
  readonly observer?: HttpObserver;
  /** The largest body, in bytes. Up to as much of an unwanted body is read and discarded. */
  readonly bodyLimit: number;
  readonly deadlines?: Deadlines;
  /** For the deadlines that Node does not enforce; the platform's clock by default. */
  readonly clock?: Clock;
  /** The load that is accepted; unlimited by default. Stopped at the end of the drain. */
  readonly capacity?: Capacity;
  /** The proxies whose forwarding headers are trusted; none by default. */
  readonly proxies?: TrustedProxies;
  /** None by default. */
  readonly traces?: RequestTraces;
  /** The headers that every answer carries. */
  readonly answerHeaders?: AnswerHeaders;
}

/** Node's HTTP server, with all its built-in answers replaced (contract: answers). */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #shared: SharedByExchanges;
  readonly #deadlines: Deadlines;
  readonly #clock: Clock;
  readonly #capacity: Capacity;
  readonly #server: Server;
  readonly #protocolErrors: ProtocolErrors;
  readonly #refusals: DelayedRefusals<Exchange>;
  readonly #carryOut: (exchange: Exchange) => void;
  readonly #connections = new Map<Socket, Connection>();
  #draining = false;
  #idleMayAsk = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(settings: HttpServerSettings, carryOut: (exchange: Exchange) => void) {
    this.#settings = settings;
    this.#clock = settings.clock ?? platformClock;
    this.#deadlines = settings.deadlines ?? defaultDeadlines;
    this.#capacity = settings.capacity ?? unlimited();
    this.#carryOut = carryOut;
    this.#shared = {
      log: settings.log,
      observer: settings.observer ?? silentHttpObserver,
      answerHeaders: settings.answerHeaders ?? new AnswerHeaders(),
      rest: { bytes: settings.bodyLimit, milliseconds: 1_000, clock: this.#clock },
      clock: this.#clock,
      turnAway: (exchange) => this.#turnAway(exchange),
      isLast: (exchange) =>
        this.#draining && this.#connections.get(exchange.request.socket)?.isLast(exchange) !== false,
    };
    this.#server = nodeServer(this.#deadlines, this.#capacity.connections);
    this.#protocolErrors = new ProtocolErrors(settings.replies, this.#shared, this.#connections);
    this.#refusals = new DelayedRefusals((exchange) => void this.#refuse(exchange), this.#clock);
    this.#server
      .on('connection', (socket) => this.#connected(socket))
      .on('drop', () => this.#capacity.refused('connections'))
      .on('request', (request, response) => this.#asked(request, response))
      .on('checkContinue', (request, response) => this.#asked(request, response))
      .on('checkExpectation', (request, response) => this.#asked(request, response))
      .on('connect', (request) => this.#protocolErrors.connect(request))
      .on('clientError', (error, socket) => this.#protocolErrors.misunderstood(error, socket as Socket));
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** The number of requests that wait for their refusal. */
  get waitingForRefusal(): number {
    return this.#refusals.waiting;
  }

  /** Resolves with the address in use. @throws the error of `listen`, such as EADDRINUSE */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, host, () => {
        // From now on an error means that a connection could not be accepted, as when too many files are open.
        this.#server.off('error', reject).on('error', () => this.#capacity.refused('connections'));
        resolve();
      });
    });
    const { connectionsCheckingInterval } = this.#deadlines;
    this.#watch = this.#clock
      .setInterval(() => this.#lookAfterDeadlines(), connectionsCheckingInterval)
      .unref();
    return this.#server.address() as AddressInfo;
  }

  /**
   * Stops listening, answers the requests received so far and closes each connection after its answer. Requests left
   * after `timeout` milliseconds get 503. Resolves, when no connection is open, with the number of those requests.
   */
  async drain(timeout: number, { letIdleAsk = false, onGivenUp }: Draining = {}): Promise<number> {
    if (!this.#server.listening) return 0;
    const closed = new Promise<void>((resolve) => this.#server.once('close', resolve));
    this.#draining = true;
    this.#refusals.end();
    this.#idleMayAsk = letIdleAsk;
    // Closes only the listener: Node's own close would also destroy connections with an answer that is not fully
    // written or a request that has arrived but was not read. One turn of the event loop reads such a request.
    NetServer.prototype.close.call(this.#server);
    await nextTurn();
    await nextTurn();
    if (!letIdleAsk) for (const connection of this.#connections.values()) connection.closeIfIdle();

    let given = 0;
    const timer = this.#clock.setTimeout(() => {
      given = this.#giveUpTheRest(onGivenUp);
    }, timeout);
    await closed;
    this.#clock.clearTimeout(timer);
    this.#clock.clearInterval(this.#watch);
    this.#capacity.stop();
    return given;
  }

  /** Answers all open requests with 503. @returns their number */
  #giveUpTheRest(onGivenUp: Draining['onGivenUp']): number {
    // Collected only now: a set that changes with each request would delay the release of their memory.
    const left = [...this.#connections.values()].flatMap((connection) => connection.exchanges);
    if (left.length > 0) onGivenUp?.(left.map(unfinished));
    for (const exchange of left) exchange.answer(this.#settings.replies.fault('unavailable'));
    for (const connection of this.#connections.values()) connection.closeUnlessAsked();
    // Callers that read get time to receive the last answers; the others are disconnected.
    const cutOff = () => {
      for (const socket of this.#connections.keys()) socket.destroy();
    };
    this.#clock.setTimeout(cutOff, this.#shared.rest.milliseconds).unref();
    return left.length;
  }

  #connected(socket: Socket): void {
    const connection = new Connection(
      socket,
      new ConnectionClient(socket, this.#settings.proxies ?? noProxies),
      (exchange) => this.#inTurn(exchange),
      (exchange) => this.#over(exchange),
      this.#shared.answerHeaders,
    );
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (!connection) return;
    const inLine = connection.exchanges.length > 0;
    if (connection.refused || (inLine && !this.#capacity.lineUp())) {
      this.#protocolErrors.further(request.socket, request.method ?? '-');
      return;
    }
    const { client } = connection;
    const exchange = new Exchange(request, response, client, this.#shared);
    exchange.inLine = inLine;
    const { overload } = this.#capacity;
    if (overload) {
      exchange.turnedAway = true;
      this.#capacity.refused(overload);
    } else exchange.trace = this.#settings.traces?.begin(request);
    connection.begin(exchange);
  }

  #leaveLine(exchange: Exchange): void {
    if (!exchange.inLine) return;
    exchange.inLine = false;
    this.#capacity.leaveLine();
  }

  #over(exchange: Exchange): void {
    this.#leaveLine(exchange);
    this.#refusals.release(exchange);
    // An answer that was being sent when the drain began has no `Connection: close`.
    if (this.#draining && !this.#idleMayAsk)
      setImmediate(() => this.#connections.get(exchange.request.socket)?.closeIfIdle());
  }

  #inTurn(exchange: Exchange): void {
    this.#leaveLine(exchange);
    if (exchange.answered) return;
    if (exchange.turnedAway) {
      exchange.turnAway();
      return;
    }
    const { replies, traces } = this.#settings;
    const fault = messageFault(exchange.request);
    if (fault) exchange.answer(replies.fault(fault));
    else if (exchange.trace) exchange.trace.within(() => this.#carryOut(exchange));
    else if (traces) traces.without(() => this.#carryOut(exchange));
    else this.#carryOut(exchange);
  }

  /** Delays the refusal, unless the caller has left. */
  #turnAway(exchange: Exchange): void {
    if (exchange.answered || exchange.request.socket.destroyed) void this.#refuse(exchange);
    else this.#refusals.add(exchange);
  }

  /** If the body has arrived, the connection is kept: a new one would cost more. */
  async #refuse(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    exchange.bodyRead = (await cameAlong(request)) && messageFault(request) === undefined;
    exchange.answer(this.#settings.replies.fault('unavailable'));
  }

  /** Enforces the deadlines that Node does not, for the first open request of each connection. */
  #lookAfterDeadlines(): void {
    const { replies } = this.#settings;
    const now = this.#clock.performance.now();
    for (const [socket, { exchanges }] of this.#connections) {
      const [first] = exchanges;
      if (!first) continue;
      const missed = missedDeadline(first, this.#deadlines, now);
      if (missed === 'body') this.#protocolErrors.unfinished(socket);
      else if (missed === 'request') first.answer(replies.fault('unavailable'));
      else if (missed === 'answer') socket.destroy();
    }
  }
}
