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
import { cameAlong, type Rest } from './unread-body.ts';

export interface HttpServerSettings {
  readonly replies: Replies;
  readonly log: HttpLog;
  /** Nobody by default. */
  readonly observer?: HttpObserver;
  /** The largest body, in bytes: as much of an unwanted one is read and thrown away. */
  readonly bodyLimit: number;
  readonly deadlines?: Deadlines;
  /** What the deadlines go by that Node does not look after; the platform's by default. */
  readonly clock?: Clock;
  /** How much is taken on at once; without it, whatever comes. Ends with the drain. */
  readonly capacity?: Capacity;
  /** The proxies whose forwarding headers are trusted; none by default. */
  readonly proxies?: TrustedProxies;
  /** Nobody by default. */
  readonly traces?: RequestTraces;
  /** What every answer carries. */
  readonly answerHeaders?: AnswerHeaders;
}

/** Node's HTTP server, with all its built-in answers replaced (contract: answers). */
export class HttpServer {
  readonly #settings: HttpServerSettings;
  readonly #rest: Rest;
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
    this.#rest = { bytes: settings.bodyLimit, milliseconds: 1_000, clock: this.#clock };
    this.#deadlines = settings.deadlines ?? defaultDeadlines;
    this.#capacity = settings.capacity ?? unlimited();
    this.#carryOut = carryOut;
    this.#shared = {
      log: settings.log,
      observer: settings.observer ?? silentHttpObserver,
      answerHeaders: settings.answerHeaders ?? new AnswerHeaders(),
      rest: this.#rest,
      clock: this.#clock,
      turnAway: (exchange) => this.#turnAway(exchange),
      isLast: (exchange) =>
        this.#draining && this.#connections.get(exchange.request.socket)?.isLast(exchange) !== false,
    };
    this.#server = nodeServer(this.#deadlines, this.#capacity.connections);
    this.#protocolErrors = new ProtocolErrors(settings, this.#shared.observer, this.#rest, this.#connections);
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

  /** How many are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Requests that wait for their refusal. */
  get waitingForRefusal(): number {
    return this.#refusals.waiting;
  }

  /** Resolves with the address in use. @throws what `listen` throws, such as EADDRINUSE */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, host, () => {
        // From now on it tells that a connection could not be accepted, as when too many files are open.
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
    // Only the listener: Node's own close of what seems to idle takes in an answer that is not all written yet,
    // and a request that has arrived and was not read yet. One turn of the event loop reads it.
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

  /** Gives back how many there were. */
  #giveUpTheRest(onGivenUp: Draining['onGivenUp']): number {
    // Not counted as they come and go: a set that changes with each request keeps their memory from being freed soon.
    const left = [...this.#connections.values()].flatMap((connection) => connection.exchanges);
    if (left.length > 0) onGivenUp?.(left.map(unfinished));
    for (const exchange of left) exchange.answer(this.#settings.replies.fault('unavailable'));
    for (const connection of this.#connections.values()) connection.closeUnlessAsked();
    // Time to write the last answers to those who read; the others are cut off.
    const cutOff = () => {
      for (const socket of this.#connections.keys()) socket.destroy();
    };
    this.#clock.setTimeout(cutOff, this.#rest.milliseconds).unref();
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
    // An answer that was on its way when the drain began had no `Connection: close` yet.
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

  /** Later; but for one whose caller has left. */
  #turnAway(exchange: Exchange): void {
    if (exchange.answered || exchange.request.socket.destroyed) void this.#refuse(exchange);
    else this.#refusals.add(exchange);
  }

  /** Without a look at it. Where its body has come the connection can be used again: a new one would cost more. */
  async #refuse(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    exchange.bodyRead = (await cameAlong(request)) && messageFault(request) === undefined;
    exchange.answer(this.#settings.replies.fault('unavailable'));
  }

  /** After those that Node does not: of each connection the request whose turn it is. */
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
