import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { methodNotSupported, type Replies, type Reply } from '../answers/replies.ts';
import { messageFault, parserFault } from '../messages/message-faults.ts';
import { requestIdOf } from '../messages/request-id.ts';
import type { Connection } from './connection.ts';
import type { HttpLog } from './http-log.ts';
import type { HttpObserver } from './http-observer.ts';
import type { Rest } from './unread-body.ts';

interface Settings {
  readonly replies: Replies;
  readonly log: HttpLog;
}

/** Answers input on a connection that never becomes a complete request in Node's server. */
export class ProtocolErrors {
  readonly #settings: Settings;
  readonly #observer: HttpObserver;
  readonly #rest: Rest;
  readonly #connections: ReadonlyMap<Socket, Connection>;

  constructor(
    settings: Settings,
    observer: HttpObserver,
    rest: Rest,
    connections: ReadonlyMap<Socket, Connection>,
  ) {
    this.#settings = settings;
    this.#observer = observer;
    this.#rest = rest;
    this.#connections = connections;
  }

  /** CONNECT, for which Node hands over the connection. */
  connect(request: IncomingMessage): void {
    // Node has taken its own listeners off; without one, a caller that resets the connection would end the process.
    request.socket.on('error', () => request.socket.destroy());
    const fault = messageFault(request);
    const reply = fault ? this.#settings.replies.fault(fault) : methodNotSupported('CONNECT', 'POST');
    const requestId = requestIdOf(request.headers['x-request-id']);
    this.#refuse(request.socket, reply, 'CONNECT', requestId, request.rawHeaders);
  }

  /** Input that the parser rejects. */
  misunderstood(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, this.#settings.replies.fault(parserFault(error.code)), '-');
  }

  /** A request whose body does not arrive in time. */
  unfinished(socket: Socket): void {
    this.#refuse(socket, this.#settings.replies.fault('request-timeout'), '-');
  }

  /** One too many behind the others of its connection: counted, and without a line, which would add to the load. */
  further(socket: Socket, method: string): void {
    const reply = this.#settings.replies.fault('unavailable');
    const count = () => this.#observer.answered(method, '-', reply.status, 0, reply.because, false);
    this.#connections.get(socket)?.refuseFurther(reply, this.#rest, count);
  }

  #refuse(
    socket: Socket,
    reply: Reply,
    method: string,
    requestId?: string,
    rawHeaders: readonly string[] = [],
  ): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { status, because } = reply;
    const report = (id: string) => {
      this.#observer.answered(method, '-', status, 0, because, false);
      this.#settings.log.answered({
        requestId: id,
        client: connection.client.address(rawHeaders),
        method,
        route: '-',
        status,
        milliseconds: 0,
        ...(because !== undefined && { because }),
      });
    };
    connection.refuse(reply, this.#rest, report, requestId);
  }
}
