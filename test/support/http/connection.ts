import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { assertDocumented } from './openapi-answers.ts';

/** An answer as it came over the wire, every byte of it accounted for. */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** Lower-case names; a header that came twice would be an array. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

const statusLine = /^HTTP\/1\.1 ([1-5][0-9]{2}) ([A-Za-z-]+(?: [A-Za-z-]+)*)$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/**
 * Reads the first response in the bytes. Undefined while it is not complete.
 * @throws if it is not a well-formed message (RFC 9112)
 */
export function readResponse(
  bytes: Buffer,
  toHead: boolean,
): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const [, code = '', reason = ''] = statusLine.exec(first) ?? malformed(first);
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = field.exec(line) ?? malformed(line);
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : [before, value].flat();
  }
  const status = Number(code);
  const length = end + 4 + bodyLength(status, headers, toHead);
  if (bytes.length < length) return undefined;
  const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(end + 4, length));
  return { response: { status, reason, headers, body }, length };
}

function bodyLength(status: number, headers: RawResponse['headers'], toHead: boolean): number {
  const { 'transfer-encoding': coding, 'content-length': announced } = headers;
  if (coding !== undefined) malformed('a transfer coding in an answer');
  if (status < 200 || status === 204 || status === 304)
    return announced === undefined ? 0 : malformed(`Content-Length in a ${status}`);
  if (typeof announced !== 'string' || !/^[0-9]+$/.test(announced)) malformed(`Content-Length ${announced}`);
  return toHead ? 0 : Number(announced);
}

function malformed(what: string): never {
  throw new Error(`the answer is not well-formed: ${what}`);
}

/** Ports whose every answer has to be as openapi.json has it. */
export const documentedPorts = new Set<number>();

/** In milliseconds: it ends a hang, and says what came so far. */
const limit = 300_000;

/** A client that sends whatever bytes it likes, and takes the answers apart by itself. */
export class RawConnection {
  static readonly #open = new Map<Socket, number>();
  readonly socket: Socket;
  /** Set when the connection was reset instead of closed. */
  error: NodeJS.ErrnoException | undefined;
  readonly #isDocumented: boolean;
  readonly #news = new EventEmitter();
  /** What came and was not asked for yet. */
  #unread: Buffer = Buffer.alloc(0);
  #ended = false;

  private constructor(socket: Socket, isDocumented: boolean) {
    this.socket = socket;
    this.#isDocumented = isDocumented;
    const end = () => {
      this.#ended = true;
      this.#news.emit('more');
    };
    socket
      .on('data', (chunk: Buffer) => {
        this.#unread = Buffer.concat([this.#unread, chunk]);
        this.#news.emit('more');
      })
      .on('end', end)
      .on('close', end)
      .on('error', (error) => {
        this.error = error;
      });
  }

  static async open(port: number, bytes?: string | Buffer): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const connection = new RawConnection(socket, documentedPorts.has(port));
    await once(socket, 'connect');
    RawConnection.#open.set(socket, port);
    socket.once('close', () => RawConnection.#open.delete(socket));
    if (bytes) await connection.send(bytes);
    return connection;
  }

  static resetAll(port: number): void {
    for (const [socket, to] of RawConnection.#open) if (to === port) socket.resetAndDestroy();
  }

  /** Resolves when the kernel has taken the bytes, or never will. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, 'latin1', () => resolve()));
  }

  /** The next answer. `toHead`: of a HEAD request, which has no body. Rejects if the connection ends before. */
  async response({ toHead = false } = {}): Promise<RawResponse> {
    for (;;) {
      const read = readResponse(this.#unread, toHead);
      if (read) {
        this.#unread = this.#unread.subarray(read.length);
        if (this.#isDocumented) assertDocumented(read.response, toHead);
        return read.response;
      }
      if (this.#ended) throw new Error(`closed after "${this.#unread.toString('latin1')}"`);
      await this.#more();
    }
  }

  /** Resolves with what else came when the service has closed the connection. */
  async closed(): Promise<string> {
    while (!this.#ended) await this.#more();
    const rest = this.#unread.toString('latin1');
    this.socket.destroy();
    return rest;
  }

  async reset(): Promise<void> {
    if (this.socket.destroyed) return;
    this.socket.resetAndDestroy();
    await once(this.socket, 'close');
  }

  #more(): Promise<unknown> {
    return once(this.#news, 'more', { signal: AbortSignal.timeout(limit) });
  }
}
