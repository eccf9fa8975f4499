import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case; a header that was sent twice is an array. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

/** Reads the first response. Undefined while it is incomplete. @throws Error if it is not well-formed (RFC 9112) */
function readResponse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const [first = '', ...lines] = head.split('\r\n');
  const [, code, reason = ''] = /^HTTP\/1\.1 ([1-5]\d\d) (.+)$/.exec(first) ?? malformed(head);
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const [, mixed = '', value = ''] = /^([\w-]+): (\S|\S.*\S)$/.exec(line) ?? malformed(head);
    const name = mixed.toLowerCase();
    headers[name] = headers[name] === undefined ? value : [headers[name], value].flat();
  }
  const status = Number(code);
  const isEmpty = status < 200 || status === 204;
  const announced = headers['content-length'];
  if (headers['transfer-encoding'] || /^\d+$/.test(String(announced)) === isEmpty) malformed(head);
  const length = end + 4 + (isEmpty ? 0 : Number(announced));
  if (bytes.length < length) return undefined;
  const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(end + 4, length));
  return { response: { status, reason, headers, body }, length };
}

function malformed(head: string): never {
  throw new Error(`the answer is not well-formed: ${head}`);
}

/** A client that sends any bytes, and parses the answers itself. */
export class RawConnection {
  static readonly #open = new Set<Socket>();
  readonly socket: Socket;
  /** The error if the connection was reset instead of closed. */
  error: NodeJS.ErrnoException | undefined;
  readonly #news = new EventEmitter();
  #unread: Buffer = Buffer.alloc(0);
  #ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    const hear = (chunk?: Buffer) => {
      if (chunk) this.#unread = Buffer.concat([this.#unread, chunk]);
      else this.#ended = true;
      this.#news.emit('more');
    };
    RawConnection.#open.add(socket);
    socket
      .on('data', hear)
      .on('end', () => hear())
      .on('close', () => hear())
      .once('close', () => RawConnection.#open.delete(socket))
      .on('error', (error) => {
        this.error = error;
      });
  }

  static async open(port: number, bytes?: string | Buffer): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    if (bytes) await connection.send(bytes);
    return connection;
  }

  static resetAll(port: number): void {
    for (const socket of RawConnection.#open) if (socket.remotePort === port) socket.resetAndDestroy();
  }

  /** Resolves when the kernel has the bytes, or the connection has ended. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, 'latin1', () => resolve()));
  }

  /** The next answer. Rejects if the connection ends before it is complete. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const read = readResponse(this.#unread);
      if (read) {
        this.#unread = this.#unread.subarray(read.length);
        return read.response;
      }
      if (this.#ended) throw new Error(`closed after "${this.#unread.toString('latin1')}"`);
      await once(this.#news, 'more');
    }
  }

  /** Resolves with the unread bytes when the service has closed the connection. */
  async closed(): Promise<string> {
    while (!this.#ended) await once(this.#news, 'more');
    this.socket.destroy();
    return this.#unread.toString('latin1');
  }

  async reset(): Promise<void> {
    if (this.socket.destroyed) return;
    this.socket.resetAndDestroy();
    await once(this.socket, 'close');
  }
}
