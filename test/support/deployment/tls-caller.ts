import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { host, type TlsProxy } from './tls-proxy.ts';

export { host };

/** Where callers come from, so that they are not taken for the proxy. */
export const callersAddress = '127.0.0.2';

export interface TlsCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
  readonly method?: string;
}

export type TlsCaller = ReturnType<typeof tlsCaller>;
export type TlsAnswer = Awaited<ReturnType<TlsCaller['call']>>;

/** A caller that verifies the proxy's certificate, which is for this name, and keeps its connection. */
export function tlsCaller(
  { port, ca }: Pick<TlsProxy, 'port' | 'ca'>,
  servername: string = host,
  localAddress = callersAddress,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, localAddress });
  const to = {
    host: localAddress.includes(':') ? '::1' : '127.0.0.1',
    port,
    servername,
    agent,
  };
  /** @throws what breaks the connection */
  const call = async ({ path, headers, body, method = 'POST' }: TlsCall) => {
    const sent = request({ ...to, path, method, headers: { Host: servername, ...headers } });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
  return { call, close: () => agent.destroy() };
}

/** Sends these bytes, and resolves with all that comes until the proxy closes the connection. */
export async function exchange({ port, ca }: Pick<TlsProxy, 'port' | 'ca'>, bytes: string): Promise<string> {
  const from = { localAddress: callersAddress };
  const socket = connect({ host: '127.0.0.1', port, ca, servername: host, ...from });
  socket.write(bytes);
  return text(socket);
}
