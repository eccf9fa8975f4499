import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { methodNotSupported, type Replies, type Reply } from '../answers/replies.ts';
import { messageFault, parserFault } from '../messages/message-faults.ts';
import { requestIdOf } from '../messages/request-id.ts';
import type { Connection } from './connection.ts';
import type { SharedByExchanges } from './exchange.ts';

/** Answers input on a connection that never becomes a complete request in Node's server. */
export class ProtocolErrors {
  readonly #replies: Replies;
  readonly #shared: SharedByExchanges;
  readonly #connections: ReadonlyMap<Socket, Connection>;

  constructor(replies: Replies, shared: SharedByExchanges, connections: ReadonlyMap<Socket, Connection>) {
    this.#replies = replies;
    this.#shared = shared;
    this.#connections = connections;
  }

  /** CONNECT, for which Node hands over the connection. */
  connect(request: IncomingMessage): void {
    // Node has taken its own listeners off; without one, a caller that resets the connection would end the process.
    request.socket.on('error', () => request.socket.destroy());
    const fault = messageFault(request);
    const reply = fault ? this.#replies.fault(fault) : methodNotSupported('CONNECT', 'POST');
    const requestId = requestIdOf(request.headers['x-request-id']);
    this.#refuse(request.socket, reply, 'CONNECT', requestId, request.rawHeaders);
  }

  /** Input that the parser rejects. */
  misunderstood(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, this.#replies.fault(parserFault(error.code)), '-');
  }

  /** A request whose body does not arrive in time. */
  unfinished(socket: Socket): void {
    this.#refuse(socket, this.#replies.fault('request-timeout'), '-');
  }

  /** One too many behind the others of its connection: counted, and without a line, which would add to the load. */
  further(socket: Socket, method: string): void {
    const reply = this.#replies.fault('unavailable');
    const count = () => this.#shared.observer.answered(method, '-', reply.status, 0, reply.because, false);
    this.#connections.get(socket)?.refuseFurther(reply, this.#shared.rest, count);
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
      this.#shared.observer.answered(method, '-', status, 0, because, false);
      this.#shared.log.answered({
        requestId: id,
        client: connection.client.address(rawHeaders),
        method,
        route: '-',
        status,
        milliseconds: 0,
        because,
      });
    };
    connection.refuse(reply, this.#shared.rest, report, requestId);
  }
}
