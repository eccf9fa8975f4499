import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';
import type { HttpLog } from './http-log.ts';
import { messageFault, parserFault } from './message-faults.ts';
import { methodNotSupported, type Replies, type Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';
import type { Rest } from './unread-body.ts';

interface Settings {
  readonly replies: Replies;
  readonly log: HttpLog;
}

/** Answers what comes on a connection and never becomes a request that Node's server hands over whole. */
export class NonRequests {
  readonly #settings: Settings;
  readonly #rest: Rest;
  readonly #connections: ReadonlyMap<Socket, Connection>;

  constructor(settings: Settings, rest: Rest, connections: ReadonlyMap<Socket, Connection>) {
    this.#settings = settings;
    this.#rest = rest;
    this.#connections = connections;
  }

  /** CONNECT, which Node gives away with its connection. */
  connect(request: IncomingMessage): void {
    // Node has taken its own listeners off; without one, a caller that resets the connection would end the process.
    request.socket.on('error', () => request.socket.destroy());
    const fault = messageFault(request);
    const reply = fault ? this.#settings.replies.fault(fault) : methodNotSupported('CONNECT', 'POST');
    const requestId = requestIdOf(request.headers['x-request-id']);
    this.#refuse(request.socket, reply, 'CONNECT', requestId, request.rawHeaders);
  }

  /** What the parser can make nothing of. */
  misunderstood(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, this.#settings.replies.fault(parserFault(error.code)), '-');
  }

  /** One whose body does not come. */
  unfinished(socket: Socket): void {
    this.#refuse(socket, this.#settings.replies.fault('request-timeout'), '-');
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
    const report = (id: string) =>
      this.#settings.log.answered({
        requestId: id,
        client: connection.client.address(rawHeaders),
        method,
        route: '-',
        status,
        milliseconds: 0,
        ...(because !== undefined && { because }),
      });
    connection.refuse(reply, this.#rest, report, requestId);
  }
}
