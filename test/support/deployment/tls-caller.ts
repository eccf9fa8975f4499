import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { host, type TlsProxy } from './tls-proxy.ts';

/** Where callers come from, so that they are not taken for the proxy. */
export const callersAddress = '127.0.0.2';

export interface TlsCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

export interface TlsAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A caller that verifies the proxy's certificate and keeps its connection. */
export class TlsCaller {
  readonly #to;
  readonly #agent: Agent;

  /** `name`: the one in the proxy's certificate. */
  constructor({ port, ca }: Pick<TlsProxy, 'port' | 'ca'>, name: string = host) {
    this.#to = { host: '127.0.0.1', port, servername: name };
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ca, localAddress: callersAddress });
  }

  /** @throws what breaks the connection */
  async call({ path, headers, body }: TlsCall): Promise<TlsAnswer> {
    const all = { Host: this.#to.servername, ...headers };
    const sent = request({ ...this.#to, agent: this.#agent, method: 'POST', path, headers: all });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  close(): void {
    this.#agent.destroy();
  }
}
