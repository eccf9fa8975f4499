import { connect, type Socket } from 'node:net';

/** What is asked, and the status that is the right answer. */
export interface Asked {
  readonly key: string;
  readonly campaign: number;
  readonly status: number;
}

/** One connection, on which one request follows the answer to the one before. */
export class TimedCaller {
  readonly #socket: Socket;
  #answer: PromiseWithResolvers<string> = Promise.withResolvers();
  #received = '';

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (part) => {
      this.#received += part;
      const [head, body] = this.#received.split('\r\n\r\n', 2);
      const length = Number(/^content-length: (\d+)/im.exec(head ?? '')?.[1]);
      if (body !== undefined && body.length >= length) this.#answer.resolve(this.#received);
    });
    for (const event of ['error', 'close'] as const)
      this.#socket.on(event, () => this.#answer.reject(new Error(`the connection ended: ${event}`)));
    this.#answer.promise.catch(() => {});
  }

  /** Microseconds from the request to the whole answer. @throws Error where the answer has another status */
  async time({ key, campaign, status }: Asked): Promise<number> {
    const body = '{"mirror_endpoint":"https://mirror.example/timing"}';
    const message = [
      `POST /public/v1/mirror/campaign/${campaign}/mirror HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}\r\n\r\n${body}`,
    ].join('\r\n');
    this.#received = '';
    this.#answer = Promise.withResolvers();
    const began = process.hrtime.bigint();
    this.#socket.write(message);
    const answer = await this.#answer.promise;
    const took = Number(process.hrtime.bigint() - began) / 1000;
    if (!answer.startsWith(`HTTP/1.1 ${status} `))
      throw new Error(`answered instead of ${status}: ${answer.slice(0, 100)}`);
    return took;
  }

  end(): void {
    this.#answer.promise.catch(() => {});
    this.#socket.destroy();
  }
}
