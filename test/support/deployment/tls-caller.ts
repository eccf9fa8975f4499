import { once } from 'node:events';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { host, type TlsProxy } from './tls-proxy.ts';

/** Where callers come from, so that they are not taken for the proxy. */
export const callersAddress = '127.0.0.2';

export interface TlsCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

interface TlsAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A caller that verifies the proxy's certificate and keeps its connection. */
export class TlsCaller {
  readonly #proxy: Pick<TlsProxy, 'port' | 'ca'>;
  readonly #name: string;
  readonly #agent: Agent;

  /** `name`: the one in the proxy's certificate. */
  constructor(proxy: Pick<TlsProxy, 'port' | 'ca'>, name: string = host) {
    this.#proxy = proxy;
    this.#name = name;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ca: proxy.ca, localAddress: callersAddress });
  }

  /** @throws what breaks the connection */
  async call({ path, headers, body }: TlsCall): Promise<TlsAnswer> {
    const sent = request({
      agent: this.#agent,
      host: '127.0.0.1',
      servername: this.#name,
      port: this.#proxy.port,
      method: 'POST',
      path,
      headers: { Host: this.#name, ...headers },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The same by HTTP/2. */
export async function callByHttp2(
  { port, ca }: TlsProxy,
  { path, headers, body }: TlsCall,
): Promise<TlsAnswer> {
  const createConnection = () =>
    connectTls({ ca, servername: host, host: '127.0.0.1', port, ALPNProtocols: ['h2'] });
  const session = connectHttp2(`https://${host}:${port}`, { createConnection });
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.end(body);
    const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
    return { status: answered[':status'], headers: answered, body: await text(stream) };
  } finally {
    session.close();
  }
}
