import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RawResponse, readResponse } from './http-message.ts';
import { assertDocumented } from './openapi-answers.ts';

/** Ports whose every answer has to be as openapi.json has it. */
export const documentedPorts = new Set<number>();

/** A client that sends whatever bytes it likes, and takes the answers apart by itself. */
export class RawConnection {
  readonly socket: Socket;
  readonly #isDocumented: boolean;
  /** What came and was not asked for yet. */
  #unread: Buffer = Buffer.alloc(0);
  #ended = false;
  /** Set when the connection was reset instead of closed. */
  error: NodeJS.ErrnoException | undefined;
  #wake: () => void = () => {};

  private constructor(socket: Socket, isDocumented: boolean) {
    this.socket = socket;
    this.#isDocumented = isDocumented;
    socket
      .on('data', (chunk: Buffer) => {
        this.#unread = Buffer.concat([this.#unread, chunk]);
        this.#wake();
      })
      .on('end', () => this.#end())
      .on('close', () => this.#end())
      .on('error', (error) => {
        this.error = error;
      });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const connection = new RawConnection(socket, documentedPorts.has(port));
    await once(socket, 'connect');
    return connection;
  }

  /** Resolves when the kernel has taken the bytes, or never will. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, 'latin1', () => resolve()));
  }

  /** The next answer. `toHead`: of a HEAD request, which has no body. Rejects where the connection ends before. */
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
    this.#unread = Buffer.alloc(0);
    this.socket.destroy();
    return rest;
  }

  /** Leaves as a program does that was killed. */
  async reset(): Promise<void> {
    if (this.socket.destroyed) return;
    this.socket.resetAndDestroy();
    await once(this.socket, 'close');
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }
}
